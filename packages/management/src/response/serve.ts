import { randomUUID } from 'node:crypto';
import { type AccountId, parseRoleId } from '@pinfold/core';
import { accountBacklogs, drainAndClose, requestEntry, thrown } from '@pinfold/http/internal';
import type { Request, RequestHandler } from 'express';
import type { Screen } from '../options.ts';
import { clearFlash, fewCookies, fromHere, Guards, ownLanguage, ownSecret } from '../request/middleware.ts';
import { createContext, type RequestContext } from '../request/request-context.ts';
import type { Answer } from './answer.ts';
import { written } from './page-turns.ts';
import { troubleOf } from './refuse.ts';
import { protect, send } from './send.ts';

export interface Endpoint {
  readonly guards: Guards<RequestContext>['all'];
  readonly handle: (visit: never) => Promise<Answer>;
}

const entrance = Guards.none.and(fewCookies).and(fromHere).and(ownSecret).and(ownLanguage).and(clearFlash);

interface Settled {
  readonly answer?: Answer;
  readonly error?: unknown;
  readonly account?: AccountId;
}

export function serve(screen: Screen, endpoint: Endpoint): RequestHandler {
  const { useCases } = screen;
  return async (request, response) => {
    const begun = useCases.clock.now();
    const requestId = randomUUID();
    const visit = createContext(screen, request, response, requestId);
    protect(visit, requestId);
    const { answer, error, account } = await settle(visit, endpoint);
    if (answer !== undefined) send(visit, answer);
    if (account !== undefined) accountBacklogs.follow(account, response);
    drainAndClose(request, useCases);
    screen.log(
      requestEntry({
        requestId,
        method: request.method,
        route: routeOf(request),
        role: parseRoleId(String(request.params.id)) ?? null,
        account,
        ...answer?.log,
        status: response.statusCode,
        milliseconds: useCases.clock.now() - begun,
        gone: hasGone(visit) || undefined,
        error: error ?? answer?.log?.error,
      }),
      request,
    );
  };
}

/** The screen is reached by any case of letters; the log has one. */
function routeOf({ baseUrl, route }: Request): string {
  return `${baseUrl.toLowerCase()}${String(route?.path ?? '')}`.replaceAll(/:(\w+)/g, '{$1}');
}

async function settle(visit: RequestContext, { guards, handle }: Endpoint): Promise<Settled> {
  let known: RequestContext & { readonly account?: AccountId } = visit;
  const settled = (rest: Settled): Settled =>
    known.account === undefined ? rest : { account: known.account, ...rest };
  const answered = async (): Promise<Answer> => {
    for (const guard of [...entrance.all, ...guards]) {
      const verdict = await guard(known as never);
      if ('kind' in verdict) return verdict;
      known = verdict;
    }
    return await handle(known as never);
  };
  try {
    return settled({ answer: await written(await answered(), visit.signal) });
  } catch (error) {
    if (hasGone(visit)) return settled({});
    return settled({ answer: troubleOf(visit, error), error: thrown(error) });
  }
}

/** The client disconnected; either stream can notice it first. */
function hasGone({ signal, request }: RequestContext): boolean {
  return signal.aborted || (request.destroyed && !request.complete);
}
