import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Caller, parseRoleId, type RoleId } from '@pinfold/core';
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
import {
  type AnyRefusal,
  answerRefusal,
  answerThrown,
  type ProblemContext,
  refuseRequest,
} from './problems/problem.ts';
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

/** What a request is for, by its path and method alone. */
interface Aim {
  /** As the log has it. */
  readonly route: string;
  readonly role: RoleId | null;
  readonly publishing: boolean;
  readonly decide: (signal: AbortSignal, requestId: string) => Promise<Outcome>;
  /** Whose request it is, once that is known. */
  readonly caller: () => Caller | undefined;
}

/** Answers a request to an area: admits it, then reads its input and handles it. */
export function serve<C>(
  service: Service,
  area: Area<C>,
  request: Request,
  response: Response,
): Promise<void> {
  const found = area.routes.find(area.base + pathOf(request));
  const endpoint = found && endpointOf(found.route, request.method);
  let known: Caller | undefined;
  return answer(service, request, response, {
    route: found?.route.pattern ?? area.base,
    role: (area.logsRoles && parseRoleId(found?.segment ?? '')) ?? null,
    publishing: endpoint?.publishes?.(request) ?? false,
    caller: () => known,
    decide: async (signal, requestId) => {
      const identified = (caller: Caller) => {
        known = caller;
      };
      const arrival = { service, request, response, signal, requestId, found, endpoint, identified };
      const admitted = await area.admit(arrival);
      return admitted.kind === 'refused'
        ? admitted
        : admitted.endpoint.answer(service, admitted.call, found?.segment ?? '');
    },
  });
}

/** Answers 404 below `/api` outside of any version. Checks no key: the answer reveals nothing. */
export function answerNothing(service: Service, request: Request, response: Response): Promise<void> {
  const decide = async () => refuseRequest('not_found');
  const aim = { role: null, publishing: false, caller: () => undefined, route: '/api', decide };
  return answer(service, request, response, aim);
}

/** Reads the target itself: in a bare node:http server, the request lacks what Express adds. */
function pathOf({ url }: Pick<IncomingMessage, 'url'>): string {
  return url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
}

async function answer(service: Service, request: Request, response: Response, aim: Aim): Promise<void> {
  const { clock } = service.useCases;
  const begun = clock.now();
  const context = { requestId: randomUUID(), publishing: aim.publishing, words: service.words };
  const gone = untilGone(response);
  const settled = await settle(service, request, aim, context, gone);
  const milliseconds = clock.now() - begun;
  const tell = (): void =>
    service.log(
      requestEntry({
        requestId: context.requestId,
        method: request.method,
        route: aim.route,
        role: settled.answer.role ?? aim.role,
        account: aim.caller()?.account,
        key: aim.caller()?.key,
        status: settled.answer.status,
        outcome: outcomeOf(settled.answer),
        milliseconds,
        gone: gone.aborted || undefined,
        error: settled.error,
      }),
      request,
    );
  response.once('close', tell);
  if (response.closed) return tell();
  const sent = send(request, response, encodeAnswer(settled.answer, context.requestId), service.drain);
  const account = aim.caller()?.account;
  if (account !== undefined) accountBacklogs.follow(account, response);
  await sent;
}

function outcomeOf({ json }: Answer): string | undefined {
  return typeof json === 'object' && json !== null && 'code' in json ? String(json.code) : undefined;
}

/** Turns the outcome or the failure of a request into its answer; the log gets the error. */
async function settle(
  { useCases: { clock } }: Service,
  request: Request,
  { decide }: Aim,
  context: ProblemContext,
  gone: AbortSignal,
): Promise<{ readonly answer: Answer & { readonly role?: RoleId }; readonly error?: unknown }> {
  try {
    const outcome = hasSeveralHosts(request) ? severalHosts() : await decide(gone, context.requestId);
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

function severalHosts(): AnyRefusal {
  return refuseRequest('invalid_request', { detail: 'Send one Host header.' });
}
