import type { IncomingMessage } from 'node:http';
import type { ClientAddress, RequestEntry, RequestLog } from '@pinfold/http';
import type { Settings } from '../settings/settings.ts';
import { takeReceived, takeSent } from './byte-counters.ts';
import type { Log } from './log.ts';

/** The routes of views. */
const VIEWS: ReadonlySet<string> = new Set(['shared_url', 'name', 'hand_over', 'site']);

/** Health probes. They arrive every few seconds, so only failures are logged. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz']);

/** W3C Trace Context, version 00 and later ones. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Logs requests as the settings say, and passes each one to `count`. */
export function createRequestLog(
  log: Pick<Log, 'request'>,
  { logAddresses, logViews }: Pick<Settings, 'logAddresses' | 'logViews'>,
  addressOf: ClientAddress,
  count?: (entry: RequestEntry, received: number, sent: number) => void,
): RequestLog {
  // Logs exactly the given share of views, not a random one, so that even few lines show true rates.
  let accumulated = 0;
  const shouldLog = ({ route, status, error }: RequestEntry): boolean => {
    if (status >= 400 || error !== undefined) return true;
    if (PROBES.has(route)) return false;
    if (logViews === 1 || !VIEWS.has(route)) return true;
    accumulated += logViews;
    if (accumulated < 1) return false;
    accumulated -= 1;
    return true;
  };
  return (entry, request) => {
    const bytes = takeSent(request);
    count?.(entry, takeReceived(request), bytes);
    if (!shouldLog(entry)) return;
    log.request(entry, {
      bytes,
      trace: readTrace(request),
      client: logAddresses ? addressOf(request) : undefined,
    });
  };
}

function readTrace({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
