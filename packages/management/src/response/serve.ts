import { randomUUID } from 'node:crypto';
import { parseRoleId } from '@pinfold/core';
import { drainAndClose, thrown } from '@pinfold/http';
import type { Request, RequestHandler } from 'express';
import type { Screen } from '../options.ts';
import { chain, clearFlash, fewCookies, fromHere, ownLanguage, ownSecret } from '../request/middleware.ts';
import { createContext, type RequestContext } from '../request/request-context.ts';
import type { Answer } from './answer.ts';
import { troubleOf } from './refuse.ts';
import { protect, send } from './send.ts';

/** Answers a visit that came through the entrance. */
export type Answering = (screen: Screen, visit: RequestContext) => Promise<Answer>;

/** What stands before every route. */
const entrance = chain(fewCookies, fromHere, ownSecret, ownLanguage, clearFlash);

/** Takes a request through the entrance to its answer, and tells the log. */
export function serve(screen: Screen, answering: Answering): RequestHandler {
  const { useCases } = screen;
  return async (request, response) => {
    const begun = useCases.clock.now();
    const requestId = randomUUID();
    const visit = createContext(screen, request, response, requestId);
    protect(visit, requestId);
    const { answer, error } = await settle(screen, visit, answering);
    if (answer !== undefined) send(visit, answer);
    drainAndClose(request, useCases);
    screen.log(
      {
        requestId,
        method: request.method,
        route: routeOf(request),
        role: parseRoleId(String(request.params.id)) ?? null,
        ...visit.who,
        status: response.statusCode,
        milliseconds: useCases.clock.now() - begun,
        ...(hasGone(visit) ? { gone: true } : {}),
        ...(error === undefined ? {} : { error }),
      },
      request,
    );
  };
}

/** Where the screen is mounted, any case of letters leads to it: to the log it is one and the same. */
function routeOf({ baseUrl, route }: Request): string {
  return `${baseUrl.toLowerCase()}${String(route?.path ?? '')}`.replaceAll(/:(\w+)/g, '{$1}');
}

/** Whatever happens becomes an answer, while somebody is there to read it. */
async function settle(
  screen: Screen,
  visit: RequestContext,
  answering: Answering,
): Promise<{ readonly answer?: Answer; readonly error?: unknown }> {
  try {
    const verdict = await entrance(screen, visit);
    return { answer: verdict.kind === 'passed' ? await answering(screen, verdict.visit) : verdict };
  } catch (error) {
    return hasGone(visit) ? {} : { answer: troubleOf(visit, error), error: thrown(error) };
  }
}

/** The client broke off, whichever of the two streams says so first. */
function hasGone({ signal, request }: RequestContext): boolean {
  return signal.aborted || (request.destroyed && !request.complete);
}
