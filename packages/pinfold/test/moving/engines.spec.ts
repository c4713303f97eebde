import { type Engines, startEngines } from '../servers/engines.ts';
import { journey } from './journey.ts';
import { openStage } from './stage.ts';

/** `npm run moving` moves a thousand. */
const PUBLICATIONS = Number(process.env.PUBLICATIONS ?? 30);

describe('a service that moves from SQLite and files to PostgreSQL and S3, and back', function () {
  this.timeout(60_000 + PUBLICATIONS * 2_000);
  let engines: Engines;

  beforeEach(async () => {
    engines = await startEngines();
  });

  afterEach(() => engines.close());

  it('is the same at both ends, though it publishes meanwhile', () =>
    journey(openStage(), engines, PUBLICATIONS));
});
