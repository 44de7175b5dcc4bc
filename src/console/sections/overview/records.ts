// Records of the statistics. `GET /v1/stats` is in `src/protocol/types.ts`.

export interface DayStats {
  /** `2030-01-31`, in UTC. */
  day: string;
  /** Null before the first record. */
  files: number | null;
  bytes: number | null;
  requests: number;
  errors: number;
  bytes_in: number;
  bytes_out: number;
  uploads: number;
  failed_uploads: number;
}

export interface FileSum {
  files: number;
  bytes: number;
}

export interface Breakdown {
  computed_at: string | null;
  computing: boolean;
  folders: (FileSum & { prefix: string })[];
  types: (FileSum & { type: string })[];
}
