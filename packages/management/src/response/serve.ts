import { randomUUID } from 'node:crypto';
import { type AccountId, parseRoleId } from '@pinfold/core';
import { admitAnswer, followRequest, UnavailableError } from '@pinfold/http/internal';
import type { Request, RequestHandler } from 'express';
import type { Screen } from '../options.ts';
import { clearFlash, fewCookies, fromHere, Guards, ownLanguage, ownSecret } from '../request/middleware.ts';
import { createContext, type RequestContext } from '../request/request-context.ts';
import type { Answer } from './answer.ts';
import { compressed } from './compressed.ts';
import { written } from './page-turns.ts';
import { refusalOf } from './refuse.ts';
import { encoded, protect, sendAnswer } from './send.ts';

export interface Endpoint {
  readonly guards: Guards<RequestContext>['all'];
  readonly handle: (context: never) => Promise<Answer>;
}

const entrance = Guards.none.and(fewCookies).and(fromHere).and(ownSecret).and(ownLanguage).and(clearFlash);

export function serve(screen: Screen, { guards, handle }: Endpoint): RequestHandler {
  const { clock } = screen.useCases;
  return (request, response) => {
    const requestId = randomUUID();
    const context = createContext(screen, request, response, requestId);
    protect(context);
    let account: AccountId | undefined;
    const decide = async (): Promise<Answer> => {
      let known: RequestContext & { readonly account?: AccountId } = context;
      for (const guard of [...entrance.all, ...guards]) {
        const verdict = await guard(known as never);
        if ('kind' in verdict) return verdict;
        known = verdict;
        account = known.account;
      }
      return await handle(known as never);
    };
    const role = parseRoleId(String(request.params.id)) ?? null;
    return followRequest(
      { request, response, requestId, route: routeOf(request), role },
      {
        now: () => clock.now(),
        work: async () => {
          const done = encoded(
            context,
            await compressed(await written(await decide(), context.signal), request),
            requestId,
          );
          admitAnswer(request, done.encoded);
          return done;
        },
        failed: (error) => ({
          ...encoded(context, refusalOf(context, error), requestId),
          error: error instanceof UnavailableError ? error.cause : error,
        }),
        signal: context.signal,
        caller: () => ({ account }),
        client: () => screen.clientAddress(request),
        send: (outcome) => sendAnswer(context, outcome),
        ended: (entry) => screen.log(entry, request),
      },
    );
  };
}

/** The screen is reached by any case of letters; the log has one. */
function routeOf({ baseUrl, route }: Request): string {
  return `${baseUrl.toLowerCase()}${String(route?.path ?? '')}`.replaceAll(/:(\w+)/g, '{$1}');
}
