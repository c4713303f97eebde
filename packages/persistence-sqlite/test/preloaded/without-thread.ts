// For `node --import`: a database whose programs run in the event loop and block it during flushes.
import { ThreadedWriter } from '../../src/writing/threaded-writer.ts';

ThreadedWriter.prototype.write = () => undefined;
