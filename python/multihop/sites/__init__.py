"""Real sites: what communities and tools write, made into a scenario, and scenarios made into that.

`registry.read` reads a file of any known format into a `form.Survey`; `mesh.joined` makes one mesh
of several; `writing.files` turns it into a scenario with a note of all that was assumed.
"""

from multihop.sites.form import SiteError
from multihop.sites.load import Options
from multihop.sites.mesh import Mesh, joined
from multihop.sites.registry import FORMATS, read
from multihop.sites.writing import written

__all__ = ["FORMATS", "Mesh", "Options", "SiteError", "joined", "read", "written"]
