-- Timers of Vim and of the loop below.
local function say(...)
  local words = {}
  for number = 1, select('#', ...) do words[number] = tostring((select(number, ...))) end
  io.stdout:write(table.concat(words, ' '), '\n')
end

local order, repeats = {}, 0
vim.fn.timer_start(60, function() table.insert(order, 60) end)
vim.fn.timer_start(20, function() table.insert(order, 20) end)
vim.defer_fn(function() table.insert(order, 40) end, 40)
local never = vim.fn.timer_start(30, function() table.insert(order, 'never') end)
vim.fn.timer_stop(never)
vim.fn.timer_start(5, function() repeats = repeats + 1 end, { ['repeat'] = 4 })
vim.wait(10000, function() return #order == 3 and repeats == 4 end, 5)
say(vim.inspect(order), repeats)

local timer, ticks = vim.loop.new_timer(), 0
timer:start(5, 5, function()
  ticks = ticks + 1
  if ticks == 5 then
    timer:stop()
    timer:close()
  end
end)
vim.wait(10000, function() return timer:is_closing() end, 5)
say('ticks', ticks, timer:is_closing())

local idle, check, prepare, turns = vim.loop.new_idle(), vim.loop.new_check(), vim.loop.new_prepare(), {}
idle:start(function() turns.idle = true end)
prepare:start(function() turns.prepare = true end)
check:start(function() turns.check = true end)
vim.wait(10000, function() return turns.idle and turns.prepare and turns.check end, 5)
for _, handle in ipairs({ idle, check, prepare }) do handle:close() end
say('turns', turns.idle, turns.prepare, turns.check)

local scheduled = 0
for _ = 1, 500 do vim.schedule(function() scheduled = scheduled + 1 end) end
vim.wait(10000, function() return scheduled == 500 end, 5)
say('scheduled', scheduled)

local began = vim.loop.hrtime()
say('gave up', vim.wait(50, function() return false end, 5))
local took = (vim.loop.hrtime() - began) / 1e6
say('waited', took >= 49 and took < 5000)
say('done')
