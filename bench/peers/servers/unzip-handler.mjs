// Publishing as a competent engineer writes it today: Express, multer to disk, unzip into a folder with limits. It
// forces nothing to the disk, as is usual: one fsync for each file would take it several times as long.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import multer from 'multer';
import yauzl from 'yauzl';

const { ROOT, PORT } = process.env;
const upload = multer({ dest: join(ROOT, 'uploads'), limits: { fileSize: 10 * 1_048_576 } });
const app = express();

function unzip(file, folder) {
  return new Promise((resolve, reject) => {
    yauzl.open(file, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip
        .on('error', reject)
        .on('end', resolve)
        .on('entry', async (entry) => {
          try {
            if (!entry.fileName.endsWith('/')) await extract(zip, entry, join(folder, entry.fileName));
            zip.readEntry();
          } catch (cause) {
            reject(cause);
          }
        });
      zip.readEntry();
    });
  });
}

async function extract(zip, entry, target) {
  if (entry.uncompressedSize > 10 * 1_048_576) throw new Error('too large');
  await mkdir(dirname(target), { recursive: true });
  const stream = await new Promise((resolve, reject) =>
    zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  await pipeline(stream, createWriteStream(target));
}

app.post('/publish', upload.single('archive'), async (request, response) => {
  const id = randomUUID();
  await unzip(request.file.path, join(ROOT, 'sites', id));
  await rm(request.file.path);
  response.status(201).json({ id });
});
app.listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
