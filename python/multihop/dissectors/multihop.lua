-- Wireshark: what multihop's routing schemes and MAC add to packets (docs/use/pcap.md).
-- Use: tshark -X lua_script:multihop.lua -r run.pcapng -O multihop, or copy it to the folder of personal Lua plug-ins.

local multihop = Proto("multihop", "multihop: fields of routing schemes and MAC")

local ROUTE_ID_OPTION = 158
local SCHEME_PORT = 60654
local FILLER_STEP = 2
local directions = { [1] = "data", [2] = "acknowledgments", [3] = "all" }
local notices = { [1] = "congested", [2] = "urgent" }
local kinds = { [131] = "load (DCAR)", [132] = "probe (ETX)" }

local f = {
  request = ProtoField.uint32("multihop.route_id.request", "ROUTE_ID: request"),
  path = ProtoField.uint32("multihop.route_id.path", "ROUTE_ID: path"),
  metric = ProtoField.uint32("multihop.metric", "Metric"),
  transmitter_metric = ProtoField.uint32("multihop.transmitter_metric", "Transmitter's metric"),
  returned = ProtoField.bool("multihop.returned", "The reply is on its way back"),
  connections = ProtoField.uint32("multihop.load.connections", "Connections"),
  weight = ProtoField.uint32("multihop.load.weight", "Weight"),
  neighbour = ProtoField.ipv4("multihop.neighbour", "Neighbour"),
  count = ProtoField.uint32("multihop.neighbour.count", "Count"),
  contention = ProtoField.float("multihop.copas.contention", "Contention"),
  gathered = ProtoField.float("multihop.copas.gathered", "Contention gathered"),
  direction = ProtoField.uint8("multihop.copas.direction", "Route for", base.DEC, directions),
  replaces = ProtoField.uint8("multihop.copas.replaces", "To replace the path of", base.DEC, directions),
  replaced = ProtoField.float("multihop.copas.replaced", "Its contention"),
  notice = ProtoField.uint8("multihop.notice", "Admission", base.DEC, notices),
  kind = ProtoField.uint8("multihop.kind", "Kind", base.DEC, kinds),
  length = ProtoField.uint16("multihop.length", "Length"),
}
multihop.fields = f

local ip = Field.new("ip")
local aodv = Field.new("aodv")
local aodv_type = Field.new("aodv.type")
local aodv_destinations = Field.new("aodv.destcount")
local dsr = Field.new("dsr")
local subtype = Field.new("wlan.fc.type_subtype")
local more_data = Field.new("wlan.fc.moredata")
local more_fragments = Field.new("wlan.fc.frag")

-- Pairs of an address and a count.
local function list(tree, range, at)
  while at + 8 <= range:len() do
    local neighbour = tree:add(f.neighbour, range(at, 4))
    neighbour:add(f.count, range(at + 4, 4))
    at = at + 8
  end
end

local function route_id(tree, range)
  local number = range:uint()
  tree:add(f.request, range, math.floor(number / 16))
  tree:add(f.path, range, number % 16)
end

-- The octets of an option of a DSR header, each of which has a filler before it.
local function octets(range)
  local bytes = ByteArray.new()
  bytes:set_size(math.floor(range:len() / FILLER_STEP))
  for i = 0, bytes:len() - 1 do
    bytes:set_index(i, range(FILLER_STEP * i + 1, 1):uint())
  end
  return bytes
end

local function floats(tree, field, range)
  local tvb = octets(range):tvb("octets")
  for at = 0, tvb:len() - 4, 4 do
    tree:add(field, tvb(at, 4))
  end
end

local dsr_options = {
  [16] = function(tree, range) tree:add(f.direction, range(1, 1)) end,
  [17] = function(tree, range) floats(tree, f.contention, range) end,
  [18] = function(tree, range) floats(tree, f.gathered, range) end,
  [19] = function(tree, range)
    local tvb = octets(range):tvb("octets")
    tree:add(f.replaces, tvb(0, 1))
    tree:add(f.replaced, tvb(1, 4))
  end,
}

local aodv_extensions = {
  [128] = function(tree, range)
    tree:add(f.metric, range(0, 4))
    if range:len() >= 8 then tree:add(f.transmitter_metric, range(4, 4)) end
  end,
  [129] = function(tree, range) route_id(tree, range(0, 4)) end,
}

-- Goes through types, lengths and values from `at` on; type `lone` has neither length nor value.
local function each(range, at, lone, tell)
  while at + 2 <= range:len() do
    local kind = range(at, 1):uint()
    if kind == lone then
      at = at + 1
    else
      local length = range(at + 1, 1):uint()
      if at + 2 + length > range:len() then return end
      tell(kind, length > 0 and range(at + 2, length) or nil)
      at = at + 2 + length
    end
  end
end

local function add_aodv(tree, range)
  local fixed = { [1] = 24, [2] = 20 }
  -- Of a frame that was cut off there may be no more than its type.
  local kind, destinations = aodv_type(), aodv_destinations()
  local at = kind and fixed[kind.value] or destinations and 4 + 8 * destinations.value
  local loads = 0
  if not at then return end
  each(range, at, nil, function(extension, value)
    if extension == 130 then
      tree:add(f.returned, true)
    elseif extension == 131 and value then
      -- A long list goes on in further extensions.
      if loads == 0 then
        tree:add(f.connections, value(0, 4))
        tree:add(f.weight, value(4, 4))
      end
      list(tree, value, loads == 0 and 8 or 0)
      loads = loads + 1
    elseif aodv_extensions[extension] and value then
      aodv_extensions[extension](tree, value)
    end
  end)
end

local function add_ip(tree, range)
  local length = 4 * (range(0, 1):uint() % 16)
  -- It is the only option in the header.
  if length >= 28 and length <= range:len() and range(20, 1):uint() == ROUTE_ID_OPTION then
    route_id(tree, range(22, 4))
  end
end

local function add_dsr(tree, range)
  -- The header of flow state has no options.
  if range:len() < 4 or range(1, 1):uint() >= 128 then return end
  local length = range(2, 2):uint()
  if length == 0 or 4 + length > range:len() then return end
  each(range(4, length), 0, 224, function(option, value)
    if dsr_options[option] and value then dsr_options[option](tree, value) end
  end)
end

function multihop.dissector(tvb, pinfo, root)
  local tree
  local function lazily()
    tree = tree or root:add(multihop)
    return tree
  end
  local proxy = { add = function(_, ...) return lazily():add(...) end }

  local frame = subtype()
  if frame and (frame.value == 0x1b or frame.value == 0x1c) then
    if more_data().value then proxy:add(f.notice, 1) end
    if more_fragments().value then proxy:add(f.notice, 2) end
  end
  if ip() then add_ip(proxy, ip().range) end
  if aodv() then add_aodv(proxy, aodv().range) end
  for _, header in ipairs({ dsr() }) do
    add_dsr(proxy, header.range)
  end
end
register_postdissector(multihop)

local own = Proto("multihop_message", "multihop: message of a routing scheme")

function own.dissector(tvb, pinfo, root)
  if tvb:len() < 4 then return 0 end
  pinfo.cols.protocol = "multihop"
  local length = tvb(2, 2):uint()
  local tree = root:add(own, tvb())
  local kind = tvb(0, 1):uint()
  pinfo.cols.info = kinds[kind] or ("message of kind " .. kind)
  tree:add(f.kind, tvb(0, 1))
  tree:add(f.length, tvb(2, 2))
  if kind == 132 and 4 + length <= tvb:len() and length > 0 then list(tree, tvb(4, length)(), 0) end
  return tvb:len()
end
DissectorTable.get("udp.port"):add(SCHEME_PORT, own)
