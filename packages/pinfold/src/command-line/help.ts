/** What `pinfold help` says. */
export const HELP = `pinfold: folders become links

  pinfold serve                      run the server until SIGTERM
  pinfold publish PATH               publish a folder or a .zip; prints the shared URL
  pinfold pin ID | unpin ID          keep a publication, or let it expire again in 7 days
  pinfold manage                     print a link that signs in to the management screen, once
  pinfold keys create                make an API key; prints it, this once
  pinfold keys list
  pinfold keys revoke ID             shut a key out at once
  pinfold cleanup                    remove what is no longer needed; the server does so by itself
  pinfold migrate                    bring the database up to this release; every command does so by itself
  pinfold version | help

All of them work on the settings of the server, the PINFOLD_ environment variables, beside a running server or
without one. So on the machine of the server no API key is needed; whoever may read its data folder may do all this.

publish
  --title TEXT             the management title
  --account NAME           whose publication it is; without --url only (default: default)
  --idempotency-key KEY    a key of your own: the same one with the same content publishes once;
                           what fails for two and a half minutes names the one to go on with
  --url URL                publish to a Pinfold elsewhere, by its API (or PINFOLD_URL)
  --key KEY                the API key for it; better in PINFOLD_KEY, where other users of the machine cannot see it
manage
  --account NAME           whose publications it shows (default: default)
keys create
  --account NAME           (default: default)
  --label TEXT             for people to tell keys apart
  --scope SCOPE            pins:read, pins:write or manage, as often as needed (default: pins:read and pins:write)
keys list
  --account NAME           the keys of one account (default: all)
cleanup
  --dry-run                say what would be removed and what is missing, and change nothing; what is younger than a day
                           is not compared, nor named as missing
  --force                  compare storage with records now, and remove archives without a record however many

Every command but serve takes --json, for scripts: one JSON document on standard output.
Exit codes: 0 done, 1 failed, 2 called wrongly.`;
