import type { ClientOptions, EventsOptions, PageQuery, PublishOptions } from '@pinfold/client';
import type { UseCaseOptions } from '@pinfold/core';
import type { createKeys, createSessions } from '@pinfold/core/accounts';
import type { CleaningOptions } from '@pinfold/core/cleaning';
import type { FeedRequest, HistoryOptions } from '@pinfold/core/history';
import type { createSharing } from '@pinfold/core/sharing';
import type { UploadsOptions } from '@pinfold/http';
import type { ApiOptions, OpenApiOptions } from '@pinfold/http-express';
import type { BrandingOptions, ManagementOptions } from '@pinfold/management';
import type { OpenIdConnectOptions } from '@pinfold/oidc';
import type { OpenPostgresOptions } from '@pinfold/persistence-postgres';
import type { OpenSqliteOptions } from '@pinfold/persistence-sqlite';
import type { FsArchiveStorageOptions } from '@pinfold/storage-fs';
import type { S3ArchiveStorageOptions, S3ClientOptions } from '@pinfold/storage-s3';
import type { ViewerOptions } from '@pinfold/viewer';
import { expect } from 'chai';
import { openTestPinfold } from 'pinfold/testing';
import type { AppOptions, PinfoldOptions } from '../../src/index.ts';

type Optional<Options> = {
  [Name in keyof Options]-?: object extends Pick<Options, Name> ? Name : never;
}[keyof Options];

/** The names of optional members that do not accept `undefined`, which `process.env` can contain. */
type Strict<Options> = {
  [Name in Optional<Options>]: Record<Name, undefined> extends Pick<Options, Name> ? never : Name;
}[Optional<Options>];

/** Compiles only for `never`. */
function expectNone<Name extends never>(..._names: readonly Name[]): void {}

describe('An option that is undefined', () => {
  it('is accepted like an absent one, under exactOptionalPropertyTypes', () => {
    expectNone<
      | Strict<PinfoldOptions | AppOptions>
      | Strict<ApiOptions>
      | Strict<OpenApiOptions>
      | Strict<ViewerOptions>
      | Strict<ManagementOptions>
      | Strict<BrandingOptions>
      | Strict<ClientOptions>
      | Strict<PublishOptions>
      | Strict<PageQuery>
      | Strict<EventsOptions>
      | Strict<UseCaseOptions>
      | Strict<NonNullable<Parameters<typeof createSharing>[2]>>
      | Strict<NonNullable<Parameters<typeof createKeys>[1]>>
      | Strict<NonNullable<Parameters<typeof createSessions>[2]>>
      | Strict<CleaningOptions>
      | Strict<HistoryOptions>
      | Strict<Omit<FeedRequest, 'limit' | 'wait' | 'account'>>
      | Strict<UploadsOptions>
      | Strict<OpenIdConnectOptions>
      | Strict<OpenPostgresOptions>
      | Strict<OpenSqliteOptions>
      | Strict<FsArchiveStorageOptions>
      | Strict<S3ClientOptions>
      | Strict<S3ArchiveStorageOptions>
    >();
  });

  it('leaves the default of openPinfold and openTestPinfold in force', async () => {
    const lines: string[] = [];
    const pinfold = await openTestPinfold({
      ...{ database: undefined, storage: undefined, persistence: undefined, archives: undefined },
      ...{ clock: undefined, machine: undefined, secret: undefined, logLevel: undefined, limits: undefined },
      log: (line) => lines.push(String(line)),
    });
    try {
      const before = await pinfold.useCases.list({ by: 'ada' });
      expect(before).to.have.property('kind', 'page');
      expect(lines, 'below the level warn').to.deep.equal([]);
      const key = await pinfold.useCases.keys.create({ account: 'ada' });
      if (!('key' in key)) throw new Error(key.code);
      expect(key.key.createdAt, 'by the clock of the test').to.equal(pinfold.clock.now());
    } finally {
      await pinfold.close();
    }
  });
});
