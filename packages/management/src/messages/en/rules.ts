/** What each rule of an archive means, and what to do; and what each remark on a published site means. */
export const rules = {
  notAZip: 'This is not a ZIP file. Choose a ZIP, or the folder itself.',
  truncated: 'The ZIP ends too early: it was not written or copied completely. Make it again.',
  encrypted: 'These files are encrypted. Make the ZIP without a password.',
  symlink: 'Symbolic links are not published. Put the files themselves in their place.',
  specialFile: 'Only files and folders can be published; leave these out.',
  unsafePath:
    'These names cannot be part of a web address safely. Rename them: no “..”, “:”, “\\” or control characters.',
  badEncoding:
    'These names are written in two encodings that disagree. Rename the files and make the ZIP again.',
  forbiddenName:
    'These do not belong in public: version control, settings with secrets, packages, temporary files and logs. Leave them out.',
  missingIndex:
    'There is no index.html. Put one, in lower case, at the top of the folder: it is the page the link opens.',
  tooManyFiles:
    'There are too many files: {actual}, and at most {limit} are allowed. Leave out what the site does not need.',
  fileTooLarge: 'These files are too large: each can have at most {limit}.',
  expandedTooLarge: 'All files together are too large: {actual}, and at most {limit} are allowed.',
  duplicatePath:
    'These files have the same name, or names that differ only in upper and lower case. Rename or remove one.',
  pathConflict: 'These are a file and a folder at once. Rename one of the two.',
  unsupportedCompression:
    'These files are packed in a way that is not supported. Make the ZIP with “deflate”, the usual way.',
  corruptData: 'These files are damaged inside the ZIP. Make it again.',
  headerMismatch: 'The ZIP contradicts itself about these files. Make it again with another program.',
  overlappingEntries: 'Files in the ZIP overlap. Make it again with another program.',
  ambiguousStructure: 'The ZIP can be read in more than one way. Make it again with another program.',
  forbiddenContent: 'Whoever runs this service took this very ZIP down. It cannot be published again.',
  archiveTooLarge: 'The ZIP is too large: it can have at most {limit}.',
  problemsTitle: 'This cannot be published yet',
  otherRule: 'Something about these files is not allowed.',
  andMore: { one: 'and {count} more', other: 'and {count} more' },
  caseMismatch: 'Links that differ from the file’s name in upper and lower case will not work.',
  caseMismatchSeen: '“{target}” is the file “{file}”',
  brokenReference: 'Links that lead to no file of the site.',
  sourceMap: 'Source maps: anyone with the link can read your sources in them.',
  possibleSecret: 'These look like secrets. If they are real, stop the publication and revoke them.',
  absoluteReference: 'Links that begin with “/” lead out of the site here. Make them relative.',
  serviceWorker:
    'These scripts register a service worker. It is refused here: pages that need it, for example to work offline, do not work.',
  unusedServerFile:
    'These files configure other servers. They have no effect here, and anyone with the link can read them.',
  passwordDropped:
    'The name showed a publication with a password, and this one has none: anyone with the link can open it.',
  namesNearlyFull: 'You have almost as many names as you may have. Delete those that are no longer needed.',
  notAllChecked: 'This site has more in it than is checked, so there may be more to fix.',
  privateKey: 'private key',
  awsAccessKey: 'AWS access key',
  githubToken: 'GitHub token',
  gitlabToken: 'GitLab token',
  slackToken: 'Slack token',
  stripeSecretKey: 'Stripe secret key',
  anthropicApiKey: 'Anthropic API key',
  openaiApiKey: 'OpenAI API key',
  npmToken: 'npm token',
  pinfoldApiKey: 'Pinfold API key',
  secretFile: 'a name that files with secrets usually have',
} as const;
