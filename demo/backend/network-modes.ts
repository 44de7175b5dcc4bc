/** States of the simulated network between the playground and the storage. */
export const NETWORK_MODES = ['clear', 'slow', 'flaky', 'busy', 'expired', 'offline'] as const;
export type NetworkMode = (typeof NETWORK_MODES)[number];
