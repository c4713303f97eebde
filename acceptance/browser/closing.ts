const closingsOfTest: (() => Promise<unknown>)[] = [];
const closingsOfRun: (() => Promise<unknown>)[] = [];
let isInTest = false;

async function closeAll(closings: (() => Promise<unknown>)[]): Promise<void> {
  for (let close = closings.pop(); close !== undefined; close = closings.pop()) await close();
}

beforeEach(() => {
  isInTest = true;
});
afterEach('what the test opened is closed', async () => {
  isInTest = false;
  await closeAll(closingsOfTest);
});
after('what several tests shared is closed', () => closeAll(closingsOfRun));

/** Closes something after the test that opens it, or at the end if it is opened before the tests; the last one first. */
export function closeAfterwards(close: () => Promise<unknown>): void {
  (isInTest ? closingsOfTest : closingsOfRun).push(close);
}
