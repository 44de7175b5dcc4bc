/** Texts of the section Profile. */
export interface ProfileTexts {
  title: string;
  person: {
    title: string;
    name: string;
    email: string;
    emailHint: string;
    language: string;
    invites: string;
    invitesHint: string;
    save: string;
    saved: string;
  };
  password: {
    title: string;
    hint: string;
    current: string;
    next: string;
    rules: string;
    show: string;
    endOthers: string;
    save: string;
    saved: string;
  };
  sessions: {
    title: string;
    hint: string;
    current: string;
    /** Name of a browser on a system, such as `Firefox on Linux`. */
    device(browser: string, system: string): string;
    unknownDevice: string;
    from(ip: string): string;
    lastUsed(time: string): string;
    end: string;
    endOf(device: string): string;
    ended: string;
    endOthers: string;
    endOthersText: string;
    othersEnded: string;
    onlyThis: string;
  };
  /** Texts for errors of the forms, by code and field. */
  problems: Record<string, string>;
}
