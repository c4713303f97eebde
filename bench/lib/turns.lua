-- Asks for the paths of the command line in turn, or, after `--hosts`, for the URL's path of the hosts of a file; every
-- request is written once, before the load begins.
local requests, turn = {}, 0

function init(args)
  if args[1] == '--hosts' then
    for host in io.lines(args[2]) do
      wrk.headers['Host'] = host
      requests[#requests + 1] = wrk.format()
    end
    return
  end
  for n, path in ipairs(args) do
    requests[n] = wrk.format(nil, path)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end
