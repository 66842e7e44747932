"""A web page over a mesh: a server on the last node, curl on the first.

sudo multihop emulate community-mesh --script examples/emulation/web.py
"""

import sys
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
(folder / "index.html").write_text("<h1>Over the mesh</h1>" + "<p>Lorem ipsum.</p>" * 2000)
server = net[len(net) - 1]
server.popen(
    [sys.executable, "-m", "http.server", "80", "--directory", folder], stdout=-3, stderr=-3
)
net.sleep(1)
timing = (
    "%{http_code}, %{size_download} bytes in %{time_total} s, connected after %{time_connect} s"
)
for _attempt in range(3):
    done = net[0].run(["curl", "-s", "-o", "/dev/null", "-w", timing, f"http://{server.address}/"])
    print(done.stdout)
