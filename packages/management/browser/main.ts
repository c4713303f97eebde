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
// The page that shows a new key answered its form: to load it again is to see the keys, and makes no other.
if (document.querySelector('#new-key') !== null) history.replaceState(null, '', location.href);
