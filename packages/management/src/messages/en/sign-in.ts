/** What is said of a sign-in elsewhere, and of programs that ask for a key. */
export const signIn = {
  connectAgree: 'Yes, it shows the same',
  connectHow: 'To give the pinfold command on another machine a key, run this there:',
  connectIntro:
    'The pinfold command asks for an API key of “{name}”. Compare these characters with those that it shows:',
  connectRefuse: 'No',
  connectTitle: 'Give the command a key',
  connectUnknown:
    'The command no longer waits for this page: the address is not complete, or ten minutes have passed. Run “pinfold login” again.',
  connectWarning:
    'Agree only if you have just run the command yourself. Whoever gets the key can do what you tick below.',
  didConnect: 'The command gets its key within a few seconds. You can revoke it here.',
  elsewhereAgain: 'Sign in again',
  elsewhereAsAnother: 'Sign out of {name}',
  elsewhereBusy: 'Too many people are signing in with {name} right now. Reload this page in a moment.',
  elsewhereClock:
    'The clock of {name} and the clock of this service are too far apart to trust the sign-in. Tell whoever runs this service.',
  elsewhereDeclined: '{name} did not sign you in: it refused, or you cancelled.',
  elsewhereForgotten:
    'The sign-in took more than ten minutes, was begun in another window, or your browser did not keep its cookie.',
  elsewhereLate: 'What {name} gave your browser was used before or is too old.',
  elsewhereMisconfigured:
    '{name} does not accept this service as it is set up. Tell whoever runs this service; its log says more.',
  elsewhereNameless:
    '{name} did not say enough about you to find your account. Tell whoever runs this service; its log says more.',
  elsewhereNotAllowed:
    '{name} knows you as {person}, who may not sign in here. Ask whoever runs this service.',
  elsewhereTitle: 'You were not signed in',
  elsewhereUnreachable: '{name} cannot be reached at the moment. Try again later.',
  elsewhereUntrusted:
    'The answer of {name} could not be trusted. Tell whoever runs this service; its log says more.',
  signInOtherwise: 'Other ways to sign in',
  signInWith: 'Sign in with {name}',
  signOutElsewhere: 'Sign out there as well',
} as const;
