import type { ProfileTexts } from './profile-texts.js';

export const en: ProfileTexts = {
  title: 'Profile',
  person: {
    title: 'About you',
    name: 'Name',
    email: 'Email',
    emailHint: 'You sign in with this address. Only an administrator can change it.',
    language: 'Language',
    invites: 'Others may invite me to workspaces',
    invitesHint: 'If this is off, invites to your address are refused.',
    save: 'Save',
    saved: 'Profile saved',
  },
  password: {
    title: 'Password',
    hint: 'A password manager can create and keep a strong password.',
    current: 'Current password',
    next: 'New password',
    rules: '8 to 256 characters. Very common passwords are refused.',
    show: 'Show passwords',
    endOthers: 'End all my other sessions',
    save: 'Change password',
    saved: 'Password changed',
  },
  sessions: {
    title: 'Sessions',
    hint: 'Devices on which you’re signed in. End a session that you don’t recognize, then change your password.',
    current: 'This session',
    device: (browser, system) => `${browser} on ${system}`,
    unknownDevice: 'Unknown device',
    from: (ip) => `Signed in from ${ip}`,
    lastUsed: (time) => `Last used ${time}`,
    end: 'End',
    endOf: (device) => `End the session of ${device}`,
    ended: 'Session ended',
    endOthers: 'End all others',
    endOthersText: 'All devices except this one are signed out. Running uploads on them fail.',
    othersEnded: 'All other sessions ended',
    onlyThis: 'You’re signed in on no other device.',
  },
  problems: {
    INVALID_CREDENTIALS: 'The current password is wrong. Type it again.',
    'VALIDATION_ERROR:password':
      'This password is too common, or its length is not from 8 to 256 characters. Choose another one.',
    INVALID_PAYLOAD: 'Type a name with at most 100 characters.',
  },
};
