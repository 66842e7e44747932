/** Shapes that the map is drawn of. */

import { theme } from "./theme";
import type { View } from "./view";

export class Pen {
  constructor(private readonly context: CanvasRenderingContext2D, private readonly view: View) {}

  line(ax: number, ay: number, bx: number, by: number, colour: string, width: number): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(ax, ay);
    context.lineTo(bx, by);
    context.stroke();
  }

  cross(x: number, y: number, size: number, colour: string): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = size / 2.2;
    context.beginPath();
    context.moveTo(x - size, y - size);
    context.lineTo(x + size, y + size);
    context.moveTo(x + size, y - size);
    context.lineTo(x - size, y + size);
    context.stroke();
  }

  dot(x: number, y: number, size: number, colour: string): void {
    const { context } = this;
    context.fillStyle = colour;
    context.strokeStyle = theme().page;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  /** Text on a ground of its own, within the view. */
  label(text: string, x: number, y: number, colour: string): void {
    const { context } = this;
    context.font = `600 11px ${theme().sans}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const half = context.measureText(text).width / 2 + 4;
    const middle = Math.max(half, Math.min(this.view.width - half, x));
    context.fillStyle = theme().page;
    context.fillRect(middle - half, y - 8, 2 * half, 16);
    context.fillStyle = colour;
    context.fillText(text, middle, y + 0.5);
  }
}
