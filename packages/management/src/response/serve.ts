import { randomUUID } from 'node:crypto';
import { type AccountId, parseRoleId } from '@pinfold/core';
import { admitAnswer, followRequest, UnavailableError } from '@pinfold/http/internal';
import type { Request, RequestHandler } from 'express';
import type { Screen } from '../options.ts';
import {
  addAddress,
  checkCookieCount,
  clearFlash,
  Guards,
  reloadIfCrossSite,
  saveLanguage,
  setFormSecret,
} from '../request/middleware.ts';
import { createContext, type RequestContext } from '../request/request-context.ts';
import type { Answer } from './answer.ts';
import { writePage } from './page-turns.ts';
import { answerFault } from './refuse.ts';
import { compressPage, encodeOutcome, sendAnswer, setSecurityHeaders } from './send.ts';

export interface Endpoint {
  readonly guards: Guards<RequestContext>['all'];
  readonly handle: (context: never) => Promise<Answer>;
}

const commonGuards = Guards.none
  .and(checkCookieCount)
  .and(reloadIfCrossSite)
  .and(setFormSecret)
  .and(saveLanguage)
  .and(clearFlash)
  .and(addAddress);

export function serve(screen: Screen, { guards, handle }: Endpoint): RequestHandler {
  const { clock } = screen.useCases;
  return (request, response) => {
    const requestId = randomUUID();
    const context = createContext(screen, request, response, requestId);
    setSecurityHeaders(context);
    let account: AccountId | undefined;
    const decide = async (): Promise<Answer> => {
      let known: RequestContext & { readonly account?: AccountId } = context;
      for (const guard of [...commonGuards.all, ...guards]) {
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
          const done = encodeOutcome(
            context,
            await compressPage(await writePage(await decide(), context.signal), request),
            requestId,
          );
          admitAnswer(request, done.encoded);
          return done;
        },
        failed: (error) => ({
          ...encodeOutcome(context, answerFault(context, error), requestId),
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

/** Letter case in the mount path does not matter to Express; the log has one spelling. */
function routeOf({ baseUrl, route }: Request): string {
  return `${baseUrl.toLowerCase()}${String(route?.path ?? '')}`.replaceAll(/:(\w+)/g, '{$1}');
}
