import { type Migration, type Persistence, SCHEMA_VERSIONS, type SchemaVersion } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { anApiKey } from './fixtures/credentials.ts';
import { anEvent } from './fixtures/roles.ts';
import { faultOf, rejectionOf } from './rejection.ts';

/** A migration as an engine runs it: statements in order. */
type Steps = Migration<readonly string[]>;

/** An empty database, as tests of its migrations use it. */
export interface MigratedPlace {
  readonly migrations: readonly Steps[];
  /** Opens a handle of its own. */
  open(): Promise<Persistence>;
  migrate(migrations: readonly Steps[]): Promise<void>;
  /** The rows of `schema_state`, and the columns and indexes. */
  schema(): Promise<{ readonly state: readonly unknown[] }>;
}

/** A database whose migrations are tested. */
export interface MigrationRig {
  /** The code of the error for a statement that names a missing table. */
  readonly noTable: string;
  onPlace(work: (place: MigratedPlace) => Promise<void>): Promise<void>;
}

/** Declares mocha tests for the migrations of any database. */
export function describeMigrations({ noTable, onPlace }: MigrationRig): void {
  const newest = SCHEMA_VERSIONS.at(-1) as SchemaVersion;
  const addition: Steps = {
    version: newest.version + 1,
    release: '7.1.0',
    oldestVersion: newest.version,
    sql: ['ALTER TABLE roles ADD COLUMN mood TEXT'],
  };
  /** A step after which older releases cannot run. */
  const breakage: Steps = {
    version: newest.version + 2,
    release: '8.0.0',
    oldestVersion: addition.version,
    sql: ['ALTER TABLE roles DROP COLUMN mood'],
  };

  describe('migrate', () => {
    it('numbers its steps without a gap, and none requires a release of a later step', () => {
      expect(SCHEMA_VERSIONS.map(({ version }) => version)).to.deep.equal(
        SCHEMA_VERSIONS.map((_, n) => n + 1),
      );
      for (const { version, oldestVersion } of SCHEMA_VERSIONS)
        expect(oldestVersion).to.be.within(1, version);
    });

    it('prepares an empty database, and changes nothing when it is repeated', () =>
      onPlace(async ({ open, schema }) => {
        const handle = await open();
        await handle.migrate();
        const migrated = await schema();
        await handle.migrate();
        await (await open()).migrate();
        expect(await schema()).to.deep.equal(migrated);
      }));

    it('leads from each earlier version to the schema of a new database', async () => {
      const schemas: unknown[] = [];
      for (const { version } of SCHEMA_VERSIONS) {
        await onPlace(async ({ open, migrate, migrations, schema }) => {
          await migrate(migrations.slice(0, version));
          const before = await schema();
          await (await open()).migrate();
          const migrated = await schema();
          if (version === newest.version) expect(migrated).to.deep.equal(before);
          else expect(migrated).not.to.deep.equal(before);
          schemas.push(migrated);
        });
      }
      for (const migrated of schemas) expect(migrated).to.deep.equal(schemas.at(-1));
    });

    it('is safe with ten concurrent handles', () =>
      onPlace(async ({ open }) => {
        const handles = await Promise.all(Array.from({ length: 10 }, open));
        await Promise.all(handles.map((handle) => handle.migrate()));
        const outcomes = await Promise.all(
          handles.map((handle, n) => handle.apiKeys.createFirst(anApiKey(n), [anEvent()])),
        );
        expect(outcomes.filter(({ kind }) => kind === 'created')).to.have.lengthOf(1);
      }));

    it('lets an older release run while the newest step allows it, and then names the required release', () =>
      onPlace(async ({ open, migrate, migrations, schema }) => {
        const older = await open();
        await older.migrate();
        const migrated = await schema();
        await older.apiKeys.create(anApiKey(1), [anEvent()]);
        await older.apiKeys.find(anApiKey(1).id);
        await migrate([...migrations, addition]);
        await older.migrate();
        await older.check();
        expect(await older.apiKeys.find(anApiKey(1).id)).to.deep.equal(anApiKey(1));
        expect(await older.roles.listArchives(undefined, 10)).to.deep.equal([]);
        const { version: oldest_version, release: oldest_release } = newest;
        const added = { version: addition.version, oldest_version, oldest_release };
        expect((await schema()).state).to.deep.equal([added]);
        await migrate([...migrations, addition, breakage]);
        const { version, oldestVersion } = breakage;
        const broken = { version, oldest_version: oldestVersion, oldest_release: addition.release };
        expect(await schema()).to.deep.equal({ ...migrated, state: [broken] });
        for (const refused of [older.migrate(), older.check()]) {
          const reason = await faultOf(refused);
          expect(reason.code).to.equal('store_unavailable');
          expect(reason.message).to.contain(addition.release);
        }
      }));

    it('runs a step completely or not at all', () =>
      onPlace(async ({ migrate, migrations, schema }) => {
        await migrate(migrations);
        const migrated = await schema();
        const broken = { ...breakage, sql: ['DROP TABLE attempts', 'DROP TABLE nothing_of_that_name'] };
        const failed = migrate([...migrations, addition, broken]);
        expect(await rejectionOf(failed)).to.have.property('code', noTable);
        expect(await schema()).to.deep.equal(migrated);
      }));
  });
}
