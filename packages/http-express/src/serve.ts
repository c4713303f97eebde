import { randomUUID } from 'node:crypto';
import { type Caller, parseRoleId, type RoleId } from '@pinfold/core';
import {
  type Answer,
  admitAnswer,
  encodeAnswer,
  followRequest,
  hasSeveralHosts,
  readTarget,
  type Settled,
  send,
  stripCors,
  UnavailableError,
  untilGone,
} from '@pinfold/http/internal';
import type { Request, Response } from 'express';
import type { Admit } from './authorize.ts';
import { endpointOf, type Outcome, type Routes } from './endpoint.ts';
import { answerRefusal, answerThrown, refuseRequest } from './problems/problem.ts';
import type { Service } from './service.ts';

/** A part of the API with its own rules of admission. */
export interface Area<C> {
  /** The prefix of its paths, without a trailing slash; also the route in the log for unknown paths. */
  readonly base: string;
  readonly routes: Routes<C>;
  readonly admit: Admit<C>;
  /** Whether the log names the role in the path. */
  readonly logsRoles?: true;
}

/** Answers a request to an area: admits it, then reads its input and handles it. */
export function serve<C>(
  service: Service,
  area: Area<C>,
  request: Request,
  response: Response,
): Promise<void> | undefined {
  const { clock } = service.useCases;
  const requestId = randomUUID();
  const signal = untilGone(response);
  const found = area.routes.find(targetPathOf(request));
  stripCors(response);
  const endpoint = found && endpointOf(found.route, request.method);
  const segment = found?.segment ?? '';
  let caller: Caller | undefined;
  const decide = async (): Promise<Outcome> => {
    if (hasSeveralHosts(request)) {
      return refuseRequest('invalid_request', { detail: 'Send one Host header.' });
    }
    if (readTarget(request.originalUrl, request.headers.host) === undefined) {
      return refuseRequest('invalid_request', {
        detail: 'Send a request target that begins with /, http://HOST or https://HOST.',
      });
    }
    const onCaller = (known: Caller) => {
      caller = known;
    };
    const arrival = { service, request, response, signal, requestId, found, endpoint, onCaller };
    const admitted = await area.admit(arrival);
    if (admitted.kind === 'refused') return admitted;
    return admitted.endpoint.answer(service, admitted.call, segment);
  };
  const context = { requestId, publishing: endpoint?.publishes?.(request) ?? false, words: service.words };
  const route = found?.route.pattern ?? area.base;
  const role = (area.logsRoles && parseRoleId(segment)) ?? null;
  const answered = (answer: Answer & { readonly role?: RoleId }, error?: unknown) => ({
    ...settledAs(answer),
    error,
    encoded: encodeAnswer(answer, requestId),
  });
  return followRequest(
    { request, response, requestId, route, role },
    {
      now: () => clock.now(),
      work: async () => {
        const outcome = await decide();
        const done = answered('status' in outcome ? outcome : answerRefusal(outcome, context, clock.now()));
        admitAnswer(request, done.encoded);
        return done;
      },
      failed: (error) => {
        const answer = answerThrown(error, context, clock.now());
        if (error instanceof UnavailableError) return answered(answer, error.cause);
        return answered(answer, answer.status >= 500 ? error : undefined);
      },
      signal,
      caller: () => caller,
      client: () => service.clientAddress(request),
      send: ({ encoded }) => send(request, response, encoded, service.drain),
      ended: (entry) => service.log(entry, request),
    },
  );
}

function settledAs({ status, role, json }: Answer & { readonly role?: RoleId }): Settled {
  const hasCode = typeof json === 'object' && json !== null && 'code' in json;
  return { status, role, outcome: hasCode ? String(json.code) : undefined };
}

/** Parses the target itself, since requests of a plain node:http server lack Express's `path`. */
export function targetPathOf({ url }: Pick<Request, 'url'>): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '');
}
