/** Asks for enough pixels for a document, and lets the browser choose what the camera has. */
const SIZE = { width: { ideal: 1920 }, height: { ideal: 1080 } };

/** Returns the constraints of a camera: the chosen one, else one that faces the wanted side. */
export const cameraConstraints = (deviceId: string, facingMode: string): MediaTrackConstraints => ({
  ...SIZE,
  ...(deviceId !== '' ? { deviceId: { exact: deviceId } } : facingMode !== '' && { facingMode: { ideal: facingMode } }),
});

/** Returns whether a camera shows the person, who expects a mirror then. A webcam states no side. */
export function isMirrored(stream: MediaStream | undefined): boolean {
  const { facingMode } = stream?.getVideoTracks()[0]?.getSettings() ?? {};
  return facingMode === undefined || facingMode === '' || facingMode === 'user';
}
