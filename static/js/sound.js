// Sound that needs no file, made ready by the first touch, muted per phone.

const KEY = "companion.muted";
const button = document.querySelector("[data-mute]");
let muted = false;
try { muted = localStorage.getItem(KEY) === "yes"; } catch { /* not muted */ }
let audio = null;

/** Browsers let a page sound only after a touch; the one that joined counts in most, any later one in all. */
function prime() {
  try {
    audio ??= new AudioContext();
    if (audio.state !== "running") audio.resume(); // suspended, or on some phones interrupted by a call
  } catch { /* no sound here: words and light must do */ }
}
if (navigator.userActivation?.hasBeenActive) prime();
for (const name of ["pointerdown", "keydown"]) addEventListener(name, prime, { passive: true });

function tone(frequency, at, length, volume = 0.2, kind = "sine") {
  if (muted || !audio || audio.state !== "running") return;
  const start = audio.currentTime + at;
  const voice = new OscillatorNode(audio, { frequency, type: kind });
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  voice.connect(gain).connect(audio.destination);
  voice.start(start);
  voice.stop(start + length);
}

export const tick = () => tone(1200, 0, 0.05, 0.12, "square");
export const rattle = () => { for (let i = 0; i < 6; i++) tone(300 + 90 * (i % 3), i * 0.07, 0.04, 0.08, "triangle"); };
export function alarm() {
  for (let i = 0; i < 3; i++) { tone(880, i * 0.35, 0.3, 0.3); tone(1320, i * 0.35 + 0.12, 0.25, 0.25); }
  shake([300, 120, 300, 120, 300]);
}
export function buzz() {
  for (let i = 0; i < 2; i++) tone(150, i * 0.28, 0.24, 0.35, "sawtooth");
  shake([240, 80, 240]);
}

/** Without a sound: it is this phone's turn, and nobody else's business. */
export const nudge = () => shake(120);

function shake(pattern) {
  const touched = navigator.userActivation?.hasBeenActive ?? true; // a display that nobody touched must not try
  if (!muted && touched) navigator.vibrate?.(pattern);
}

function tell() {
  button?.setAttribute("aria-pressed", String(muted));
  document.body.classList.toggle("muted", muted);
}
addEventListener("storage", ({ key, newValue }) => { if (key === KEY) { muted = newValue === "yes"; tell(); } }); // another tab
button?.addEventListener("click", () => {
  muted = !muted;
  try { localStorage.setItem(KEY, muted ? "yes" : "no"); } catch { /* for now only */ }
  tell();
  if (!muted) tick();
});
tell();
