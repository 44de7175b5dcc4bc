/** Limits of an account. */
export interface Plan {
  id: number;
  name: string;
  /** Requests with API keys per minute. */
  requestsPerMinute: number;
  /** Requests with API keys per calendar day in America/Fortaleza. */
  requestsPerDay: number;
  /** Bytes that the account may store unless it has a quota of its own. Null: no limit. */
  storageBytes: number | null;
  deploysPerHour: number;
}

/** The plan of new users, and of accounts without a user. */
export const DEFAULT_PLAN_ID = 1;

/** All plans. `--rate-limits` replaces the numbers of requests of plan 1. */
export const PLANS: readonly Plan[] = [
  { id: 1, name: 'Free', requestsPerMinute: 6000, requestsPerDay: 1_000_000, storageBytes: null, deploysPerHour: 5 },
  { id: 2, name: 'Intermediary', requestsPerMinute: 12_000, requestsPerDay: 4_000_000, storageBytes: null, deploysPerHour: 60 },
];

/** Returns a plan. An unknown id, such as that of a plan that no longer exists, gets the default plan. */
export const planOf = (id: number): Plan => PLANS.find((plan) => plan.id === id) ?? PLANS[0]!;
