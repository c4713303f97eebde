// Both together: people publish with the session they have already, and pin by a route of the team's own.
import { accountId, DEFAULT_SCOPES, parseRoleId } from '@pinfold/core';
import type { Express } from 'express';
import { mountPinfold, type Pinfold, type PinfoldOptions } from './pinfold.ts';
import { createTeamApp, Sessions, type TeamAppOptions, teamRoutes } from './team-app.ts';

/** Puts the team's server together. */
export async function createServerApp(
  options: TeamAppOptions & Omit<PinfoldOptions, 'authenticate'>,
): Promise<{ readonly app: Express; readonly pinfold: Pinfold }> {
  const app = createTeamApp();
  const sessions = new Sessions();
  const pinfold = await mountPinfold(app, {
    ...options,
    authenticate: async (request) => {
      const person = sessions.personOf(request);
      return person && { account: accountId(person.id), scopes: DEFAULT_SCOPES };
    },
  });
  app.use(teamRoutes(sessions, options));
  app.post('/publications/:id/pin', async (request, response) => {
    const person = sessions.personOf(request);
    const id = parseRoleId(request.params.id);
    // A site on a sibling host could send this form, too; browsers report where it comes from.
    const isOurs = request.headers['sec-fetch-site'] === 'same-origin';
    if (person === undefined || id === undefined || !isOurs) {
      response.status(403).end();
      return;
    }
    const outcome = await pinfold.useCases.pin({ by: accountId(person.id), id });
    response.status(outcome.kind === 'changed' ? 204 : 409).end();
  });
  return { app, pinfold };
}
