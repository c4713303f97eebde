import type { Scope, UseCases } from '@pinfold/core';
import type { BodyLimits, Uploads } from '@pinfold/http';
import type { Answer } from '../answer.ts';
import type { Call } from '../exchange.ts';
import type { AnyRefusal } from '../problem.ts';

/** What the handlers share. */
export interface Service {
  readonly useCases: UseCases;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly bodyTimeouts: Pick<BodyLimits, 'idle' | 'total'>;
  readonly uploads: Uploads;
}

/** Answers one method of one route; `id` is the path's, as it was sent. */
export type Handle = (service: Service, call: Call, id: string) => Promise<Answer | AnyRefusal>;

/** A handler, and the scope that its caller needs. */
export interface Handler {
  readonly scope: Scope;
  readonly handle: Handle;
}
