import { join } from 'node:path';
import { startPinfold } from '../lib/pinfold.ts';
import { peakMiB, residentMiB } from '../lib/process-usage.ts';
import type { Row } from '../lib/report.ts';
import { filledSite, zipOf } from '../lib/sites.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { send } from './uploads.ts';

const MiB = 1_048_576;

/** Peak resident memory above idle, with 50 and with 200 concurrent uploads of 10 MiB. */
export async function memoryRows(folder: string): Promise<readonly Row[]> {
  const archive = zipOf(filledSite(100, 10 * MiB - 200_000, 20 * MiB));
  const pinfold = await startPinfold(join(folder, 'memory'));
  await pinfold.publish(archive, 'warm');
  const idle = residentMiB(pinfold.pid);
  const rows: Row[] = [];
  for (const count of [50, 200]) {
    const uploads = Array.from({ length: count }, (_, n) => pinfold.publish(archive, `${count}-${n}`));
    const figure = (await peakMiB(pinfold.pid, Promise.all(uploads))) - idle;
    const what = `peak memory over idle, ${count} uploads of 10 MiB`;
    rows.push({ what, figure, unit: 'MiB', goal: { atMost: 250 } });
  }
  await pinfold.stop();
  return rows;
}

/** A bomb of 10 MiB that would expand to 10 GiB and states less, compared with an honest archive of 50 MiB. */
export async function bombRow(folder: string): Promise<Row> {
  const pinfold = await startPinfold(join(folder, 'bomb'));
  const honest = zipOf(filledSite(50, 9 * MiB, 50 * MiB - 1_000));
  const bomb = lying(zipOf(filledSite(20, 200_000, 49 * MiB * 20)), 1_000);
  const timed = async (archive: Uint8Array<ArrayBuffer>, expected: number) => {
    const start = performance.now();
    const { status, body } = await send(pinfold, archive, `bomb ${start}`);
    if (status !== expected) throw new Error(`bomb: ${status} ${body}`);
    return performance.now() - start;
  };
  const values = await inRounds(
    { bomb: () => timed(bomb, 422), 'proving 50 MiB': () => timed(honest, 201) },
    5,
  );
  await pinfold.stop();
  const figure = median(values.bomb) / median(values['proving 50 MiB']);
  return { what: 'a bomb is refused', figure, unit: '× proving 50 MiB', goal: { atMost: 2 }, values };
}

/** The archive with every declared size replaced by a small one, in both headers. */
function lying(archive: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const view = Buffer.from(archive);
  const end = view.lastIndexOf('PK\x05\x06');
  let header = view.readUInt32LE(end + 16);
  for (let count = view.readUInt16LE(end + 10); count > 0; count -= 1) {
    const local = view.readUInt32LE(header + 42);
    view.writeUInt32LE(size, header + 24);
    view.writeUInt32LE(size, local + 22);
    header +=
      46 + view.readUInt16LE(header + 28) + view.readUInt16LE(header + 30) + view.readUInt16LE(header + 32);
  }
  return new Uint8Array(view);
}
