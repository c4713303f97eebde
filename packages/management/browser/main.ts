import { copyOnClick } from './copy.ts';
import { openDialogs } from './dialogs.ts';
import { watchPublishPanel } from './publish-panel.ts';
import { revealPasswords } from './reveal.ts';
import { localTimes } from './times.ts';

localTimes(document);
copyOnClick(document);
revealPasswords(document);
openDialogs(document);
watchPublishPanel(document);
