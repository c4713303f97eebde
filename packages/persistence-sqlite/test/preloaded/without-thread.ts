// For `node --import`: a database whose programs run in the event loop, which waits for their flushes.
import { ThreadedWriter } from '../../src/writing/threaded-writer.ts';

ThreadedWriter.prototype.write = () => undefined;
