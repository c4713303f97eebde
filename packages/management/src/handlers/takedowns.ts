import { parseRoleId } from '@pinfold/core';
import type { AdministeredPublication } from '@pinfold/core/administration';
import { parseRoleState, parseSha256 } from '@pinfold/core/internal';
import type { With } from '../options.ts';
import { shownPublication } from '../publication.ts';
import { pageRequest, positionOf, present, queryText, searchText } from '../request/page-request.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import type { Flash } from '../response/flash.ts';
import { notFound } from '../response/refuse.ts';
import { allPublicationsView } from '../views/all-publications.ts';
import { type AnyPublication, anyPublicationView } from '../views/any-publication.ts';
import { takedownsView } from '../views/takedowns.ts';
import { known, reasonOf } from './accounts.ts';

export async function showAllPublications(
  screen: With<'administration'>,
  visit: SignedInContext,
): Promise<Answer> {
  const search = searchText(visit);
  const account = queryText(visit, 'account');
  const state = parseRoleState(visit.request.query.state);
  if (account !== '' && known(account) === undefined)
    return seeOther(`${visit.base}/administration/publications`);
  const asked = pageRequest(visit);
  const listed = await screen.administration.listRoles({
    ...asked,
    ...present({ account, search, state }),
  });
  if (listed.kind === 'refused') return seeOther(`${visit.base}/administration/publications`);
  const publications = listed.publications.map((found) => shown(visit, found));
  const position = positionOf(asked, listed);
  return page(allPublicationsView(visit, { publications, account, search, state, position }));
}

export async function showAnyPublication(
  screen: With<'administration'>,
  visit: SignedInContext,
  isReasonWrong: boolean = false,
): Promise<Answer> {
  const { administration } = screen;
  const found = await administration.showRole(String(visit.request.params.id), visit.signal);
  if (found.kind === 'refused') return notFound(visit);
  const owner = await administration.showAccount(found.publication.account);
  return page(
    anyPublicationView(visit, shown(visit, found), owner?.account.blocked ?? null, isReasonWrong),
    isReasonWrong ? 422 : 200,
  );
}

/** Stops a publication for good, and forbids its archive. */
export async function takeDown(screen: With<'administration'>, visit: SignedInContext): Promise<Answer> {
  const id = parseRoleId(String(visit.request.params.id));
  const reason = reasonOf(visit);
  if (id === undefined) return notFound(visit);
  if (reason === undefined) return showAnyPublication(screen, visit, true);
  const copies = fieldOf(visit, 'copies') === 'yes';
  const purge = fieldOf(visit, 'purge') === 'yes';
  const taken = await screen.administration.takeDown({ id, reason, purge, copies, cause: visit.cause });
  if (taken.kind === 'refused') return notFound(visit);
  const count = taken.copies.length;
  const message = count === 0 ? 'didTakeDownOne' : copies ? 'didTakeDownAll' : 'didTakeDown';
  const flash: Flash = { tone: 'good', message, values: { count } };
  return seeOther(`${visit.base}/administration/publications/${id}`, flash);
}

export async function showTakedowns(screen: With<'administration'>, visit: SignedInContext): Promise<Answer> {
  const asked = pageRequest(visit);
  const listed = await screen.administration.listTakedowns(asked);
  if (listed.kind === 'refused') return seeOther(`${visit.base}/administration/takedowns`);
  return page(takedownsView(visit, { takedowns: listed.takedowns, position: positionOf(asked, listed) }));
}

export async function lift(screen: With<'administration'>, visit: SignedInContext): Promise<Answer> {
  const sha256 = parseSha256(String(visit.request.params.sha256));
  const lifted =
    sha256 === undefined ? undefined : await screen.administration.liftTakedown(sha256, visit.cause);
  if (lifted?.kind !== 'lifted') return notFound(visit);
  return seeOther(`${visit.base}/administration/takedowns`, { tone: 'good', message: 'didLift' });
}

function shown(visit: SignedInContext, { publication, takedown }: AdministeredPublication): AnyPublication {
  return { takedown, publication: shownPublication(publication, visit) };
}
