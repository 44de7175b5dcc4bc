/** Size of the canvas in pixels. Styles scale it. */
const WIDTH = 640;
const HEIGHT = 120;
const BAR_WIDTH = 4;
const BAR_STEP = 8;
const BAR_COUNT = WIDTH / BAR_STEP;
/** Milliseconds of sound that one bar shows. */
const BAR_MS = 60;
/** Speech is quiet compared to the largest level. */
const GAIN = 4;

/** Draws the level of a microphone as bars that move from right to left. */
export class LevelMeter {
  readonly canvas = document.createElement('canvas');
  readonly #context = new AudioContext();
  readonly #analyser = this.#context.createAnalyser();
  readonly #samples = new Float32Array(this.#analyser.fftSize);
  readonly #levels: number[] = Array.from({ length: BAR_COUNT }, () => 0);
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(stream: MediaStream) {
    this.canvas.width = WIDTH;
    this.canvas.height = HEIGHT;
    this.canvas.setAttribute('aria-hidden', 'true');
    this.#context.createMediaStreamSource(stream).connect(this.#analyser);
    this.#timer = setInterval(() => this.#draw(), BAR_MS);
    this.#draw();
  }

  close(): void {
    clearInterval(this.#timer);
    void this.#context.close();
  }

  #draw(): void {
    this.#analyser.getFloatTimeDomainData(this.#samples);
    const power = this.#samples.reduce((sum, sample) => sum + sample * sample, 0) / this.#samples.length;
    this.#levels.shift();
    this.#levels.push(Math.min(1, Math.sqrt(power) * GAIN));
    const context = this.canvas.getContext('2d')!;
    context.clearRect(0, 0, WIDTH, HEIGHT);
    context.fillStyle = '#fff';
    for (const [index, level] of this.#levels.entries()) {
      const height = Math.max(BAR_WIDTH, level * HEIGHT);
      context.beginPath();
      context.roundRect(index * BAR_STEP, (HEIGHT - height) / 2, BAR_WIDTH, height, BAR_WIDTH / 2);
      context.fill();
    }
  }
}
