-- Jobs: output line by line, input, codes, signals, a program that is not there.
local function say(...)
  local words = {}
  for number = 1, select('#', ...) do words[number] = tostring((select(number, ...))) end
  io.stdout:write(table.concat(words, ' '), '\n')
end

local function job(words, options, input)
  local out, code = {}, nil
  options = vim.tbl_extend('force', {
    stdout_buffered = true,
    on_stdout = function(_, lines) out = lines end,
    on_exit = function(_, exit) code = exit end,
  }, options or {})
  local id = vim.fn.jobstart(words, options)
  if input then
    vim.fn.chansend(id, input)
    vim.fn.chanclose(id, 'stdin')
  end
  vim.fn.jobwait({ id }, 10000)
  vim.wait(10000, function() return code ~= nil end, 5)
  return code, table.concat(out, '|')
end

say('echo', job({ 'sh', '-c', 'echo one; echo two; exit 3' }))
say('cat', job({ 'cat' }, nil, { 'a', 'b', '' }))
say('cwd', job({ 'pwd' }, { cwd = '/' }))
say('env', job({ 'sh', '-c', 'echo $WORD' }, { env = { WORD = 'given' } }))
say('system', vim.fn.system({ 'sh', '-c', 'cat; echo !' }, 'input'), vim.v.shell_error)
say('failing', vim.fn.system('exit 7'), vim.v.shell_error)
say('missing', (pcall(vim.fn.jobstart, { '/no/such/program' })))

local sum, exits = 0, 0
local function count(_, code) sum, exits = sum + code, exits + 1 end
for number = 1, 30 do vim.fn.jobstart({ 'sh', '-c', 'exit ' .. number }, { on_exit = count }) end
vim.wait(20000, function() return exits == 30 end, 5)
say('many', sum)

local signalled
local stopped = vim.fn.jobstart({ 'sleep', '1000' }, { on_exit = function(_, code) signalled = code end })
vim.fn.jobstop(stopped)
vim.wait(10000, function() return signalled end, 5)
say('stopped', signalled)
say('waits', vim.fn.jobwait({ vim.fn.jobstart({ 'sleep', '0.2' }) }, 1)[1])

local long = select(2, job({ 'sh', '-c', 'head -c 1000000 /dev/zero | tr "\\0" x' }))
say('long', #long)

-- Another nvim, spoken to over its pipes.
local child = vim.fn.jobstart({ vim.v.progpath, '--embed', '--headless', '-u', 'NONE', '-i', 'NONE' }, { rpc = true })
say('rpc', vim.fn.rpcrequest(child, 'nvim_eval', '6 * 7'))
vim.fn.jobstop(child)
say('done')
