import { join } from 'node:path';
import { startS3 } from 'pinfold-test-servers';
import { startPinfold } from '../lib/pinfold.ts';
import type { Row } from '../lib/report.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { send } from './uploads.ts';

const PUBLICATIONS = 10;

/** The requests about objects that publications make of an S3 server. */
export async function objectRows(folder: string): Promise<readonly Row[]> {
  const methods: string[] = [];
  const s3 = await startS3({
    before: async (method, path) => {
      if (path.startsWith('/bench/sites/')) methods.push(method);
    },
  });
  await s3.makeBucket('bench');
  const pinfold = await startPinfold(join(folder, 'objects'), {
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'a secret that no one checks',
    PINFOLD_STORAGE_URL: `s3://bench/sites?endpoint=${encodeURIComponent(s3.endpoint)}`,
  });
  const archive = zipOf(smallPages(500));
  for (let n = 0; n < PUBLICATIONS; n += 1) {
    const { status, body } = await send(pinfold, archive, `objects ${n}`);
    if (status !== 201) throw new Error(`publishing: ${status} ${body}`);
  }
  await pinfold.stop();
  await s3.stop();
  const each = (method: string) => methods.filter((made) => made === method).length / PUBLICATIONS;
  return [
    { what: 'objects put for a publication on S3', figure: each('PUT'), unit: 'PUT', goal: { atMost: 1 } },
    { what: 'looks whether the object is there', figure: each('HEAD'), unit: 'HEAD' },
  ];
}
