-- A TCP server through vim.loop, and the rest of luv that plugins use.
local uv = vim.loop
local function say(...)
  local words = {}
  for number = 1, select('#', ...) do words[number] = tostring((select(number, ...))) end
  io.stdout:write(table.concat(words, ' '), '\n')
end
local function wait(condition) assert(vim.wait(20000, condition, 5), 'waited too long') end

local function serve(server)
  server:listen(128, function(error)
    assert(not error, error)
    local client = getmetatable(server).__name == 'uv_pipe' and uv.new_pipe(false) or uv.new_tcp()
    server:accept(client)
    client:read_start(function(_, data)
      if data then client:write(data) else client:shutdown(function() client:close() end) end
    end)
  end)
end

local function ask(connect, count)
  local lengths, closed = {}, 0
  for number = 1, count do
    lengths[number] = 0
    connect(function(socket)
      socket:write(string.rep('x', number * 1000))
      socket:shutdown()
      socket:read_start(function(_, data)
        if data then
          lengths[number] = lengths[number] + #data
        else
          socket:close()
          closed = closed + 1
        end
      end)
    end)
  end
  wait(function() return closed == count end)
  local right = 0
  for number = 1, count do right = right + (lengths[number] == number * 1000 and 1 or 0) end
  return right
end

local server = uv.new_tcp()
server:bind('127.0.0.1', 0)
serve(server)
local port = server:getsockname().port
say('tcp', ask(function(connected)
  local socket = uv.new_tcp()
  socket:nodelay(true)
  socket:connect('127.0.0.1', port, function(error) assert(not error, error) connected(socket) end)
end, 40))
server:close()

local pipe = uv.new_pipe(false)
pipe:bind('./nvim.sock')
serve(pipe)
say('pipe', ask(function(connected)
  local socket = uv.new_pipe(false)
  socket:connect('./nvim.sock', function(error) assert(not error, error) connected(socket) end)
end, 20))
pipe:close()

local refused
local socket = uv.new_tcp()
socket:connect('127.0.0.1', port, function(error) refused = error socket:close() end)
wait(function() return refused end)
say('refused', refused)

local one, other, heard = uv.new_udp(), uv.new_udp(), nil
one:bind('127.0.0.1', 0)
one:recv_start(function(_, data) heard = data or heard end)
other:send('datagram', '127.0.0.1', one:getsockname().port, function() end)
wait(function() return heard end)
say('udp', heard)
one:close()
other:close()

local exit
local stdout = uv.new_pipe(false)
local text = ''
uv.spawn('sh', { args = { '-c', 'echo spawned; exit 4' }, stdio = { nil, stdout, nil } }, function(code, signal) exit = code .. ' ' .. signal end)
stdout:read_start(function(_, data) if data then text = text .. data else stdout:close() end end)
wait(function() return exit and stdout:is_closing() end)
say('spawn', exit, vim.trim(text))

local path = uv.cwd() .. '/luv-file'
local fd = uv.fs_open(path, 'w', 420)
say('written', uv.fs_write(fd, 'hello', 0))
uv.fs_close(fd)
local size
uv.fs_stat(path, function(error, stat) assert(not error, error) size = stat.size end)
wait(function() return size end)
say('stat', size, uv.fs_stat('/no/such/file'))
local event, seen = uv.new_fs_event(), nil
event:start(path, {}, function(_, name, kinds) seen = seen or (name .. ' ' .. tostring(kinds.change)) end)
vim.fn.writefile({ 'more' }, path)
wait(function() return seen end)
say('event', seen)
event:close()
uv.fs_unlink(path)

local answer
uv.new_work(function(number) return number * number end, function(square) answer = square end):queue(12)
wait(function() return answer end)
say('work', answer)
local signal, caught = uv.new_signal(), nil
signal:start('sigusr2', function(name) caught = name end)
uv.kill(uv.os_getpid(), 'sigusr2')
wait(function() return caught end)
say('signal', caught)
signal:close()
local addresses
uv.getaddrinfo('localhost', nil, { family = 'inet', socktype = 'stream' }, function(error, found) addresses = error or found[1].addr end)
wait(function() return addresses end)
say('localhost', addresses)
say('done')
