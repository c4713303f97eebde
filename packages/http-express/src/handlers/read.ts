import type { DayOfViews, RoleId } from '@pinfold/core';
import { dayText } from '@pinfold/core/views';
import type { PinQuery } from '../reading/query.ts';
import type { Call, Outcome, Service } from '../service.ts';
import { pinOf } from './pin.ts';

/** `GET /api/v1/pins/{id}`: a publication of the account, in any state. */
export async function read(
  { useCases, views, publicUrl }: Service,
  { caller, signal }: Call,
  id: RoleId,
  { include }: PinQuery,
): Promise<Outcome> {
  const found = await useCases.read({ by: caller.account, id, signal });
  if (found.kind === 'refused') return found;
  const pin = pinOf(found.publication, publicUrl);
  if (include === undefined || views === undefined) return { status: 200, json: { pin } };
  return { status: 200, json: { pin, views: (await views.of(id)).map(viewsOf) } };
}

/** A day of views as JSON. */
export interface WireViews {
  readonly day: string;
  readonly views: number;
  readonly refused_passwords: number;
}

function viewsOf({ day, views, refusedPasswords }: DayOfViews): WireViews {
  return { day: dayText(day), views, refused_passwords: refusedPasswords };
}
