// The server that a team has already: its own sign-in, its own people, its own pages. Nothing in it knows of Pinfold.
import { randomUUID } from 'node:crypto';
import express, { type Express, type Request, type Router } from 'express';

/** A person who has signed in. */
export interface Person {
  readonly id: string;
  readonly name: string;
}

/** The dependencies of the team's server. */
export interface TeamAppOptions {
  /** The person of a name and password, from the team's own directory. */
  readonly checkPassword: (name: string, password: string) => Promise<Person | undefined>;
}

/** The sessions of people who have signed in, by the token in their cookie. */
export class Sessions {
  readonly #people: Map<string, Person> = new Map();

  begin(person: Person): string {
    const token = randomUUID();
    this.#people.set(token, person);
    return token;
  }

  /** Whose request it is. */
  personOf({ headers }: Pick<Request, 'headers'>): Person | undefined {
    const [, token = ''] = /(?:^|;\s*)team_session=([\w-]+)/.exec(headers.cookie ?? '') ?? [];
    return this.#people.get(token);
  }
}

/** The team's own routes. */
export function teamRoutes(sessions: Sessions, { checkPassword }: TeamAppOptions): Router {
  const router = express.Router();
  router.use(express.urlencoded({ extended: false }));
  router.post('/sign-in', async (request, response) => {
    const { name, password } = request.body as Readonly<Record<string, unknown>>;
    const person = await checkPassword(String(name), String(password));
    if (person === undefined) {
      response.status(403).send('That is not right.');
      return;
    }
    // Only for this host: without a Domain it never reaches the sites, which have hosts of their own.
    response.cookie('team_session', sessions.begin(person), { httpOnly: true, sameSite: 'lax' });
    response.redirect(303, '/');
  });
  router.get('/', (request, response) => {
    response.send(`Hello ${sessions.personOf(request)?.name ?? 'stranger'}`);
  });
  return router;
}

/** An empty Express app. */
export function createTeamApp(): Express {
  return express().disable('x-powered-by');
}
