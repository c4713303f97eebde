-- Asks for the paths of the command line in turn; every request is written once, before the load begins.
local requests, turn = {}, 0

function init(paths)
  for n, path in ipairs(paths) do
    requests[n] = wrk.format(nil, path)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end
