/** The basics that an agent must know before it calls a tool; part of the handshake. */
export const INSTRUCTIONS: string = [
  'Pinfold publishes finished static files (HTML, CSS, scripts, pictures) as a website at an unlisted URL.',
  'A publication has an index.html at its root, or in its only folder. Its content never changes: to show a new version, publish again.',
  'Give the same "name" each time, and the URL of the name always shows the newest version; send people that URL when they will come back. Without a name, each publication has only its own shared_url.',
  'A publication expires after some days (get and the resource pinfold://limits say which limits are in force); renew resets the time, and stop ends it for good.',
  'Whoever has the URL can open it, unless you set a password.',
  'Publish the built site, not the project it was built from. Call check first if you are unsure; it changes nothing.',
  'If a call fails with "retryable", repeat it with the same idempotency_key.',
].join('\n');
