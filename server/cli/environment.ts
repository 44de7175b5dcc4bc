/** Reads an environment variable. An empty variable counts as unset. */
export const environmentVariable = (name: string): string | undefined => process.env[name] || undefined;
