/** The part of the plane that the map shows: fitted to it, moved and magnified by the reader. */

import type { Box } from "./places";

const EDGE = 26;
/** Room above for the buttons, and below for the scale. */
const ABOVE = 60, BELOW = 44;
const MOST = 40;

export class View {
  /** Pixels a metre. */
  scale = 1;
  width = 0;
  height = 0;
  private fitted = 1;
  private centreX = 0;
  private centreY = 0;

  constructor(private readonly box: Box) {}

  get isFitted(): boolean {
    return this.scale <= this.fitted * 1.001;
  }

  resize(width: number, height: number): void {
    const magnified = this.width ? this.scale / this.fitted : 1;
    [this.width, this.height] = [width, height];
    const { left, right, bottom, top } = this.box;
    this.fitted = Math.min(
      (width - 2 * EDGE) / Math.max(right - left, 1), (height - ABOVE - BELOW) / Math.max(top - bottom, 1));
    this.scale = this.fitted * magnified;
    if (magnified <= 1.001) this.fit();
  }

  fit(): void {
    this.scale = this.fitted;
    this.centreX = (this.box.left + this.box.right) / 2;
    this.centreY = (this.box.bottom + this.box.top) / 2 + (ABOVE - BELOW) / 2 / this.scale;
  }

  x(metres: number): number {
    return this.width / 2 + (metres - this.centreX) * this.scale;
  }

  y(metres: number): number {
    return this.height / 2 - (metres - this.centreY) * this.scale;
  }

  /** Magnify about a point of the screen. */
  zoom(factor: number, x: number, y: number): void {
    const scale = Math.max(this.fitted, Math.min(this.fitted * MOST, this.scale * factor));
    const [offX, offY] = [x - this.width / 2, this.height / 2 - y];
    this.centreX += offX / this.scale - offX / scale;
    this.centreY += offY / this.scale - offY / scale;
    this.scale = scale;
    if (this.isFitted) this.fit();
  }

  move(x: number, y: number): void {
    const { left, right, bottom, top } = this.box;
    this.centreX = Math.max(left, Math.min(right, this.centreX - x / this.scale));
    this.centreY = Math.max(bottom, Math.min(top, this.centreY + y / this.scale));
  }
}
