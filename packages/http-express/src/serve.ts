import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Caller, type Clock, parseRoleId, type RoleId } from '@pinfold/core';
import {
  type Answer,
  accountBacklogs,
  encodeAnswer,
  hasSeveralHosts,
  requestEntry,
  thrown,
  untilGone,
} from '@pinfold/http/internal';
import type { Request, Response } from 'express';
import type { Admit } from './admission.ts';
import type { Outcome } from './endpoint.ts';
import { answerRefusal, answerThrown, type ProblemContext, refuseRequest } from './problems/problem.ts';
import { endpointOf, type Routes } from './routes.ts';
import { send } from './send.ts';
import type { Service } from './service.ts';

/** A part of the API that is mounted at a path and admits requests in its own way. */
export interface Area<C> {
  /** Where it is mounted, without the slash at its end; the log's route of paths that it does not know. */
  readonly base: string;
  readonly routes: Routes<C>;
  readonly admit: Admit<C>;
  /** Whether the log names the role in the path. */
  readonly logsRoles?: true;
}

/** Answers a request to an area: admits it, then reads its input and handles it. */
export async function serve<C>(
  service: Service,
  area: Area<C>,
  request: Request,
  response: Response,
): Promise<void> {
  const { clock } = service.useCases;
  const begun = clock.now();
  const requestId = randomUUID();
  const signal = untilGone(response);
  const found = area.routes.find(area.base + pathOf(request));
  const endpoint = found && endpointOf(found.route, request.method);
  let caller: Caller | undefined;
  const decide = async (): Promise<Outcome> => {
    if (hasSeveralHosts(request)) {
      return refuseRequest('invalid_request', { detail: 'Send one Host header.' });
    }
    const identified = (known: Caller) => {
      caller = known;
    };
    const arrival = { service, request, response, signal, requestId, found, endpoint, identified };
    const admitted = await area.admit(arrival);
    if (admitted.kind === 'refused') return admitted;
    return admitted.endpoint.answer(service, admitted.call, found?.segment ?? '');
  };
  const context = { requestId, publishing: endpoint?.publishes?.(request) ?? false, words: service.words };
  const { answer, error } = await settle(decide, context, clock, signal);
  const milliseconds = clock.now() - begun;
  const tell = (): void =>
    service.log(
      requestEntry({
        requestId,
        method: request.method,
        route: found?.route.pattern ?? area.base,
        role: answer.role ?? (area.logsRoles && parseRoleId(found?.segment ?? '')) ?? null,
        account: caller?.account,
        key: caller?.key,
        status: answer.status,
        outcome: outcomeOf(answer),
        milliseconds,
        gone: signal.aborted || undefined,
        error,
      }),
      request,
    );
  response.once('close', tell);
  if (response.closed) return tell();
  const sent = send(request, response, encodeAnswer(answer, requestId), service.drain);
  if (caller !== undefined) accountBacklogs.follow(caller.account, response);
  await sent;
}

/** Reads the target itself: in a bare node:http server, the request lacks what Express adds. */
function pathOf({ url }: Pick<IncomingMessage, 'url'>): string {
  return url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
}

function outcomeOf({ json }: Answer): string | undefined {
  return typeof json === 'object' && json !== null && 'code' in json ? String(json.code) : undefined;
}

/** Turns the outcome or the failure of a request into its answer; the log gets the error. */
async function settle(
  decide: () => Promise<Outcome>,
  context: ProblemContext,
  clock: Clock,
  gone: AbortSignal,
): Promise<{ readonly answer: Answer & { readonly role?: RoleId }; readonly error?: unknown }> {
  try {
    const outcome = await decide();
    return { answer: 'status' in outcome ? outcome : answerRefusal(outcome, context, clock.now()) };
  } catch (error) {
    // The client has gone: the answer is for the log only.
    if (gone.aborted && error === gone.reason) {
      return { answer: answerRefusal(refuseRequest('invalid_request'), context, clock.now()) };
    }
    const failure = answerThrown(error, context, clock.now());
    return failure.status >= 500 ? { answer: failure, error: thrown(error) } : { answer: failure };
  }
}
