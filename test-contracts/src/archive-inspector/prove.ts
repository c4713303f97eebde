import { type ArchiveProof, isFault, type ProofRequest } from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { expectAbortedEarlyAndLate } from '../expect-aborts.ts';
import { costlyReferences } from '../fixtures/zips/costly-zips.ts';
import { badZips, goodZips } from '../fixtures/zips/index.ts';
import { type PlannedEntry, writeZip } from '../fixtures/zips/zip-writer.ts';
import { rejectionOf } from '../rejection.ts';
import { type ArchiveInspectorClauses, type ArchiveInspectorSubject, requestOf, rulesOf } from './subject.ts';

const INDEX: PlannedEntry = { name: 'index.html', content: '<p>Hello' };

async function provesExactly(subject: ArchiveInspectorSubject): Promise<void> {
  for (const { name, rules, bytes } of badZips) {
    if (rules.length !== 1 || rules[0] !== 'corrupt_data') continue;
    const request = await requestOf(subject, await bytes());
    const { problems, entries } = await subject.port.prove(request);
    expect(rulesOf(problems), name).to.deep.equal(['corrupt_data']);
    expect(entries.length, name).to.equal(request.tasks.length - problems.length);
  }
  for (const { name, bytes } of goodZips) {
    const request = await requestOf(subject, await bytes());
    expectAllProved(request, await subject.port.prove(request), name);
  }
}

function expectAllProved({ tasks }: ProofRequest, { problems, entries }: ArchiveProof, name: string): void {
  expect(problems, name).to.deep.equal([]);
  expect(entries.map(({ entry }) => entry).sort(), name).to.deep.equal(
    tasks.map(({ entry }) => entry).sort(),
  );
}

/** A file of zeros with a declared size of ten. */
function understated(name: string, bytes: number): PlannedEntry {
  return { name, content: Buffer.alloc(bytes), both: { size: 10 } };
}

async function keepsLimits(subject: ArchiveInspectorSubject): Promise<void> {
  const one = await requestOf(subject, writeZip({ entries: [INDEX, understated('a', 300_000)] }));
  const tasks = one.tasks.map((task) => ({ ...task, limit: 200_000 }));
  const tooLarge = await subject.port.prove({ ...one, tasks });
  expect(rulesOf(tooLarge.problems)).to.include.members(['corrupt_data', 'file_too_large']);
  const within = await subject.port.prove(one);
  expect(rulesOf(within.problems)).to.deep.equal(['corrupt_data']);
  const three = writeZip({
    entries: [INDEX, understated('a', 300_000), understated('b', 300_000), understated('c', 300_000)],
  });
  const many = await requestOf(subject, three);
  const expanded = await subject.port.prove({ ...many, expandedBytes: 700_000 });
  const found = expanded.problems.filter(({ rule }) => rule === 'expanded_too_large');
  expect(found.map((problem) => 'limit' in problem && problem.limit)).to.deep.equal([700_000]);
}

async function observes(subject: ArchiveInspectorSubject): Promise<void> {
  const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG'.repeat(3)}\n-----END PRIVATE KEY-----\n`;
  const page = '<a href="gone.html">x</a><img src="/a.png"><script src="app.js"></script>';
  const bytes = writeZip({
    entries: [
      { name: 'index.html', content: page },
      { name: 'app.js', content: 'let é; navigator.serviceWorker.register("/sw.js")' },
      { name: 'key.pem', content: key },
      { name: 'chain.pem', content: key.replaceAll('PRIVATE KEY', 'CERTIFICATE') },
      { name: 'logo.png', content: key },
      { name: 'old.txt', content: Buffer.from('caf\xe9', 'latin1') },
      { name: 'a.png', method: 0, content: Buffer.from('\x89PNG', 'latin1') },
      { name: 'large.txt', content: 'é'.repeat(2_000_000) },
      { name: 'cut.txt', content: Buffer.concat([Buffer.alloc(4_000_000, 'a'), Buffer.from([0xc3])]) },
    ],
  });
  const { problems, entries } = await subject.port.prove(await requestOf(subject, bytes));
  expect(problems).to.deep.equal([]);
  const proofs = [...entries].sort((a, b) => a.entry - b.entry);
  expect(proofs.map(({ utf8 }) => utf8)).to.deep.equal([
    ...[true, true, true, true, true, false, false, true, false],
  ]);
  expect(proofs.map(({ secrets }) => secrets.length)).to.deep.equal([0, 0, 1, 0, 1, 0, 0, 0, 0]);
  expect(proofs.map(({ serviceWorker = false }) => serviceWorker)).to.deep.equal(
    proofs.map((_, at) => at === 1),
  );
  expect(proofs[0]?.references).to.include.deep.members([
    { target: 'gone.html', absolute: false, answered: false, otherCase: undefined },
    { target: '/a.png', absolute: true, answered: true, otherCase: undefined },
  ]);
}

async function readsWithinBounds(subject: ArchiveInspectorSubject): Promise<void> {
  const wholeOf = async (bytes: Uint8Array) => {
    const request = await requestOf(subject, bytes);
    const [first, again] = [await subject.port.prove(request), await subject.port.prove(request)];
    const inOrder = ({ entries }: ArchiveProof) => [...entries].sort((a, b) => a.entry - b.entry);
    expectAllProved(request, first, 'costly references');
    expect(inOrder(again).map(({ whole }) => whole)).to.deep.equal(inOrder(first).map(({ whole }) => whole));
    return inOrder(first).map(({ whole }) => whole);
  };
  const costly = await wholeOf(costlyReferences());
  // The start page has no references.
  expect([costly[0], costly.includes(false)]).to.deep.equal([true, true]);
  expect(await wholeOf(costlyReferences({ referring: false }))).not.to.include(false);
  const large = { name: 'large.txt', content: Buffer.alloc(10_000_000, 'a') };
  const picture = { name: 'large.png', content: Buffer.alloc(10_000_000, 'a') };
  expect(await wholeOf(writeZip({ entries: [INDEX, large, picture] }))).to.deep.equal([true, false, true]);
}

export const proveClauses: ArchiveInspectorClauses = {
  'archive-inspector/prove-sound: an entry is proved only if its data is exactly as the directory declares it':
    provesExactly,
  'archive-inspector/prove-limits: an entry that inflates beyond its limit is reported, and so are entries beyond the limit of all together, after which nothing is inflated':
    keepsLimits,
  'archive-inspector/prove-observes: references, suspected secrets, registered service workers and valid UTF-8 are observed':
    observes,
  'archive-inspector/prove-bounded: the search for warnings is bounded: an entry beyond the bounds is marked as not whole, and a second search finds the same':
    readsWithinBounds,
  'archive-inspector/prove-aborted: an aborted signal rejects with its reason': async (subject) => {
    const request = await requestOf(subject, writeZip({ entries: [INDEX] }));
    await expectAbortedEarlyAndLate((signal) => subject.port.prove(request, signal));
  },
  'archive-inspector/prove-unreadable: a missing staged file is the fault staging_unavailable': async (
    subject,
  ) => {
    const request = await requestOf(subject, writeZip({ entries: [INDEX] }));
    await request.archive.discard();
    const fault = await rejectionOf(subject.port.prove(request));
    expect(isFault(fault) && fault.code).to.equal('staging_unavailable');
  },
  'archive-inspector/prove-many: concurrent proofs of many archives do not mix': async (subject) => {
    await together(subject, 12, async (port, n) => {
      const files = Array.from({ length: n + 1 }, (_, k) => ({ name: `${k}.txt`, content: `${n} ${k}` }));
      const broken: PlannedEntry = { name: 'broken', content: `${n}`, both: { crc32: 1 } };
      const bytes = writeZip({ entries: [INDEX, ...files, ...(n % 2 === 0 ? [] : [broken])] });
      const request = await requestOf(subject, bytes, port);
      const { problems, entries } = await port.prove(request);
      expect(problems.map((problem) => 'path' in problem && problem.path)).to.deep.equal(
        n % 2 === 0 ? [] : ['broken'],
      );
      expect(entries.length).to.equal(n + 2);
    });
  },
};
