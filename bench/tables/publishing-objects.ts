import { join } from 'node:path';
import { startS3 } from 'pinfold-test-servers';
import { startPinfold } from '../lib/pinfold.ts';
import type { Row } from '../lib/report.ts';
import { s3Settings } from '../lib/s3.ts';
import { smallPages, zipOf } from '../lib/sites.ts';

const PUBLICATIONS = 10;

/** The requests for objects that publications send to an S3 server. */
export async function objectRows(folder: string): Promise<readonly Row[]> {
  const methods: string[] = [];
  const s3 = await startS3({
    before: async (method, path) => {
      if (path.startsWith('/bench/sites/')) methods.push(method);
    },
  });
  await s3.makeBucket('bench');
  const pinfold = await startPinfold(join(folder, 'objects'), s3Settings(s3.endpoint));
  const archive = zipOf(smallPages(500));
  for (let n = 0; n < PUBLICATIONS; n += 1) await pinfold.publish(archive, `objects ${n}`);
  await pinfold.stop();
  await s3.stop();
  const each = (method: string) => methods.filter((made) => made === method).length / PUBLICATIONS;
  return [
    { what: 'objects put for a publication on S3', figure: each('PUT'), unit: 'PUT', goal: { atMost: 1 } },
    { what: 'looks whether the object is there', figure: each('HEAD'), unit: 'HEAD' },
  ];
}
