import type { IncomingMessage } from 'node:http';
import type { ClientAddress, RequestEntry, RequestLog } from '@pinfold/http';
import type { Settings } from '../settings/settings.ts';
import { takeReceived, takeSent } from './byte-counters.ts';
import type { Log } from './log.ts';

/** The routes of viewers, as the viewer names them. */
const VIEWS: ReadonlySet<string> = new Set(['shared_url', 'name', 'hand_over', 'site']);

/** Balancers ask every few seconds; only failures are worth a line. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz']);

/** W3C Trace Context, version 00 and those to come. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Takes the log entries of the doors: for the log, as the settings say, and all of them for `count`. */
export function requestLog(
  log: Pick<Log, 'request'>,
  { logAddresses, logViews }: Pick<Settings, 'logAddresses' | 'logViews'>,
  addressOf: ClientAddress,
  count?: (entry: RequestEntry, received: number, sent: number) => void,
): RequestLog {
  // The share is exact, not random, so that few lines show rates, too.
  let owed = 0;
  const isLogged = ({ route, status, error }: RequestEntry): boolean => {
    if (status >= 400 || error !== undefined) return true;
    if (PROBES.has(route)) return false;
    if (logViews === 1 || !VIEWS.has(route)) return true;
    owed += logViews;
    if (owed < 1) return false;
    owed -= 1;
    return true;
  };
  return (entry, request) => {
    const bytes = takeSent(request);
    count?.(entry, takeReceived(request), bytes);
    if (!isLogged(entry)) return;
    log.request(entry, {
      bytes,
      trace: traceOf(request),
      client: logAddresses ? addressOf(request) : undefined,
    });
  };
}

function traceOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
