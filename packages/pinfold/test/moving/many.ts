import { type Engines, startEngines } from '../servers/engines.ts';
import { journey } from './journey.ts';
import { openStage, type Stage } from './stage.ts';

describe('a service of a thousand publications that moves', function () {
  this.timeout(1_800_000);
  let stage: Stage;
  let engines: Engines;

  beforeEach(async () => {
    [stage, engines] = await Promise.all([openStage(), startEngines()]);
  });

  afterEach(async () => {
    await engines.close();
    await stage.dispose();
  });

  it('is the same at both ends, though it publishes meanwhile', () => journey(stage, engines, 1_000));
});
