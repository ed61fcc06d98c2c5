// row: non-determinism | --check nondeterminism | SAFE | pdr lawi
// row: stability | --check stability --property system.stability.1 | SAFE | pdr lawi
/*
 * A car's alarm system.
 *
 * Locking from outside arms it after a delay; unlocking, or the right transponder in the ignition, disarms it. Armed, it
 * watches doors, bonnet and boot, the supply, the interior (ultrasound) and the tilt of the body; a tampering sounds the
 * siren and flashes the lamps in rounds, then the alarm arms itself again, three times at most. A door gets an entry
 * delay, since the mechanical key opens doors too. The panic button sounds the alarm of a car that is not armed.
 *
 * Processes (eight, in three levels; 50 locations, 123 guarded transitions):
 *   gateway         takes frames from the body bus, checks the fob's rolling code, gives each event for one step
 *   locking         central locking: motors, double lock, relocking of a car that nobody enters
 *   alarm           the mode: disarmed, delays, armed, alarm, panic; starts and stops
 *     sensors       the contacts and the supply, and what the detectors below say
 *       interior    the ultrasonic detector: calibration, echoes in a row
 *       tilt        the tilt detector: takes its reference, then looks for lifting and lowering
 *     warning       lamps and rounds of sounding
 *       siren       the two-tone siren with a battery of its own
 * A sub-process runs only while it is needed. It begins by forgetting what it has left behind; what others look at
 * while it does not run is cleared by the alarm, a step after stopping it, when it takes no more turns: so nobody races.
 *
 * Inputs, in stable states (asynchronous time): at most one frame on the bus; the contacts, the detectors' readings.
 * Time is made of TICK frames, one every five seconds.
 *
 * Properties: `non-determinism`, the guards of every choice exclude each other (the motors' directions, the tones, the
 * modes and the detectors' directions only because nobody ever switches both on); `stability`, the system comes to rest
 * after every input.
 */
#include <syncline.h>

enum frame {
    NONE,
    FOB_LOCK,
    FOB_UNLOCK,
    FOB_PANIC,
    KEY_LOCK,
    KEY_UNLOCK,
    TRANSPONDER, /* the right key is in the ignition */
    INTERIOR_OFF, /* the button that leaves out the ultrasonic detector: a dog stays in the car */
    TICK
};

enum trip { NO_TRIP, DOOR, BONNET, BOOT, SUPPLY, MOVEMENT, LIFTED };

/* Ticks, of five seconds. */
#define EXIT_DELAY 6
#define ENTRY_DELAY 3
#define RELOCK_DELAY 12
#define PANIC_TIME 6
#define LOCKOUT 12
#define SETTLING 1
#define ROUND 6 /* ticks of a round of sounding, */
#define PAUSE 2 /* of silence after it, */
#define LIGHTS 12 /* and of flashing in the end */
#define ROUNDS 3
#define ALARMS 3
#define CHARGE 20

/* Inputs. */
unsigned char frame;
_Bool code_ok;
_Bool door_open, bonnet_open, boot_open, supply_cut;
_Bool echo;
unsigned char slope;

/* gateway */
unsigned char event;

/* locking: the car is locked from outside while `secured`; the motor's two directions. */
_Bool secured;
_Bool motor_lock, motor_unlock;
_Bool nobody_entered;

/* alarm: its mode, of which at most one is on. */
_Bool armed, panic;
_Bool immobilised;
_Bool interior_off;

/* sensors and below */
unsigned char trip;
_Bool moved;
_Bool lifting, lowering;
_Bool towed;

/* warning and below */
_Bool lamps;
_Bool sound; /* the horn is on while this is and the siren has a tone */
_Bool finished;
_Bool tone_high, tone_low;
unsigned char charge = CHARGE;

/* From and to the body bus. An event is seen by all for one step. */
void gateway(void)
{
    unsigned char wrong = 0;
    unsigned char wait = 0;
listen:
    choice {
        when ((frame == FOB_LOCK || frame == FOB_UNLOCK || frame == FOB_PANIC) && code_ok) {
            event = frame;
            frame = NONE;
            wrong = 0;
            goto deliver;
        }
        when ((frame == FOB_LOCK || frame == FOB_UNLOCK || frame == FOB_PANIC) && !code_ok && wrong < 4) {
            frame = NONE;
            wrong = wrong + 1;
            goto listen;
        }
        when ((frame == FOB_LOCK || frame == FOB_UNLOCK || frame == FOB_PANIC) && !code_ok && wrong >= 4) {
            frame = NONE;
            wait = LOCKOUT;
            goto locked_out;
        }
        when (frame == KEY_LOCK || frame == KEY_UNLOCK || frame == TRANSPONDER) {
            event = frame;
            frame = NONE;
            wrong = 0;
            goto deliver;
        }
        when (frame == INTERIOR_OFF || frame == TICK) {
            event = frame;
            frame = NONE;
            goto deliver;
        }
    }
deliver:
    atomic {
        event = NONE;
        goto listen;
    }
locked_out:
    choice {
        when (frame == FOB_LOCK || frame == FOB_UNLOCK || frame == FOB_PANIC) {
            frame = NONE;
            goto locked_out;
        }
        when (frame == KEY_LOCK || frame == KEY_UNLOCK || frame == TRANSPONDER) {
            event = frame;
            frame = NONE;
            wrong = 0;
            goto deliver;
        }
        when (frame == INTERIOR_OFF) {
            event = frame;
            frame = NONE;
            goto deliver_locked_out;
        }
        when (frame == TICK && wait > 0) {
            event = frame;
            frame = NONE;
            wait = wait - 1;
            goto deliver_locked_out;
        }
        when (frame == TICK && wait == 0) {
            event = frame;
            frame = NONE;
            wrong = 0;
            goto deliver;
        }
    }
deliver_locked_out:
    atomic {
        event = NONE;
        goto locked_out;
    }
}

/* Central locking. */
void locking(void)
{
    unsigned char wait = 0;
open:
    choice {
        when ((event == FOB_LOCK || event == KEY_LOCK) && !door_open) {
            motor_lock = 1;
            motor_unlock = 0;
            goto moving;
        }
        when ((event == FOB_LOCK || event == KEY_LOCK) && door_open) {
            goto refused;
        }
    }
refused:
    choice {
        when (event == TICK) {
            goto open;
        }
        when (event == FOB_UNLOCK || event == KEY_UNLOCK || event == TRANSPONDER) {
            goto open;
        }
        when ((event == FOB_LOCK || event == KEY_LOCK) && !door_open) {
            motor_lock = 1;
            motor_unlock = 0;
            goto moving;
        }
    }
moving:
    choice {
        when (motor_lock && event == TICK && !door_open) {
            motor_lock = 0;
            motor_unlock = 0;
            secured = 1;
            goto locked;
        }
        when (motor_lock && event == TICK && door_open) {
            motor_lock = 0;
            motor_unlock = 1;
            nobody_entered = 0;
            goto moving;
        }
        when (motor_lock && (event == FOB_UNLOCK || event == KEY_UNLOCK)) {
            motor_lock = 0;
            motor_unlock = 1;
            nobody_entered = 0;
            goto moving;
        }
        when (motor_unlock && event == TICK && nobody_entered) {
            motor_lock = 0;
            motor_unlock = 0;
            secured = 0;
            wait = RELOCK_DELAY;
            goto opened_remotely;
        }
        when (motor_unlock && event == TICK && !nobody_entered) {
            motor_lock = 0;
            motor_unlock = 0;
            secured = 0;
            goto open;
        }
    }
locked:
    choice {
        when (event == FOB_UNLOCK) {
            motor_lock = 0;
            motor_unlock = 1;
            nobody_entered = 1;
            goto moving;
        }
        when (event == KEY_UNLOCK || event == TRANSPONDER) {
            motor_lock = 0;
            motor_unlock = 1;
            nobody_entered = 0;
            goto moving;
        }
        when (event == FOB_LOCK) {
            motor_lock = 1;
            motor_unlock = 0;
            goto double_locking;
        }
    }
double_locking:
    choice {
        when (event == TICK) {
            motor_lock = 0;
            motor_unlock = 0;
            goto double_locked;
        }
        when (event == FOB_UNLOCK || event == KEY_UNLOCK || event == TRANSPONDER) {
            motor_lock = 0;
            motor_unlock = 1;
            nobody_entered = 0;
            goto moving;
        }
    }
double_locked:
    choice {
        when (event == FOB_UNLOCK) {
            motor_lock = 0;
            motor_unlock = 1;
            nobody_entered = 1;
            goto moving;
        }
        when (event == KEY_UNLOCK || event == TRANSPONDER) {
            motor_lock = 0;
            motor_unlock = 1;
            nobody_entered = 0;
            goto moving;
        }
    }
opened_remotely:
    choice {
        when (door_open) {
            goto open;
        }
        when (!door_open && event == TICK && wait > 0) {
            wait = wait - 1;
            goto opened_remotely;
        }
        when (!door_open && event == TICK && wait == 0) {
            motor_lock = 1;
            motor_unlock = 0;
            goto moving;
        }
        when (!door_open && (event == FOB_LOCK || event == KEY_LOCK)) {
            motor_lock = 1;
            motor_unlock = 0;
            goto moving;
        }
        when (!door_open && (event == KEY_UNLOCK || event == TRANSPONDER)) {
            goto open;
        }
    }
}

/* The detectors: each runs while the sensors do. */
void interior(void)
{
    unsigned char quiet = 0;
    unsigned char tries = 0;
    unsigned char echoes = 0;
power_up:
    choice {
        when (moved) {
            moved = 0;
            goto power_up;
        }
        when (!moved && event == TICK) {
            goto calibrate;
        }
    }
calibrate:
    choice {
        when (event == TICK && !echo && quiet < 3) {
            quiet = quiet + 1;
            goto calibrate;
        }
        when (event == TICK && !echo && quiet >= 3) {
            goto listen;
        }
        when (event == TICK && echo && tries < 10) {
            quiet = 0;
            tries = tries + 1;
            goto calibrate;
        }
        when (event == TICK && echo && tries >= 10) {
            goto unusable;
        }
    }
listen:
    choice {
        when (event == TICK && echo) {
            echoes = 1;
            goto suspicious;
        }
    }
suspicious:
    choice {
        when (event == TICK && echo && echoes < 3) {
            echoes = echoes + 1;
            goto suspicious;
        }
        when (event == TICK && echo && echoes >= 3) {
            moved = 1;
            goto sure;
        }
        when (event == TICK && !echo) {
            goto listen;
        }
    }
sure:
    choice {
        when (event == TICK && !echo) {
            moved = 0;
            goto listen;
        }
    }
unusable:
    choice {
        when (event == TICK && !echo) {
            quiet = 1;
            tries = 0;
            goto calibrate;
        }
    }
}

void tilt(void)
{
    unsigned char reference = 0;
    unsigned char ticks = 0;
power_up:
    atomic {
        towed = 0;
        lifting = 0;
        lowering = 0;
        goto measure;
    }
measure:
    choice {
        when (event == TICK) {
            reference = slope;
            goto confirm;
        }
    }
confirm:
    choice {
        when (event == TICK && slope == reference) {
            goto watch;
        }
        when (event == TICK && slope != reference) {
            goto measure;
        }
    }
watch:
    choice {
        when (event == TICK && slope > reference) {
            lifting = 1;
            lowering = 0;
            ticks = 0;
            goto changing;
        }
        when (event == TICK && slope < reference) {
            lifting = 0;
            lowering = 1;
            ticks = 0;
            goto changing;
        }
    }
changing:
    choice {
        when (lifting && event == TICK && slope > reference && ticks < 2) {
            ticks = ticks + 1;
            goto changing;
        }
        when (lifting && event == TICK && slope > reference && ticks >= 2) {
            lifting = 0;
            lowering = 0;
            towed = 1;
            goto sure;
        }
        when (lifting && event == TICK && slope <= reference) {
            lifting = 0;
            lowering = 0;
            goto watch;
        }
        when (lowering && event == TICK && slope < reference && ticks < 2) {
            ticks = ticks + 1;
            goto changing;
        }
        when (lowering && event == TICK && slope < reference && ticks >= 2) {
            lifting = 0;
            lowering = 0;
            towed = 1;
            goto sure;
        }
        when (lowering && event == TICK && slope >= reference) {
            lifting = 0;
            lowering = 0;
            goto watch;
        }
    }
sure:
    choice {
        when (event == TICK && slope == reference) {
            towed = 0;
            goto watch;
        }
    }
}

/* The contacts, in the order of their weight, then the detectors. */
void sensors(void)
{
    unsigned char wait = 0;
start:
    choice {
        when (interior_off) {
            wait = SETTLING;
            sync(tilt);
            goto settle;
        }
        when (!interior_off) {
            wait = SETTLING;
            sync(interior);
            sync(tilt);
            goto settle;
        }
    }
settle:
    choice {
        when (event == TICK && wait > 0) {
            wait = wait - 1;
            goto settle;
        }
        when (event == TICK && wait == 0) {
            goto watch;
        }
    }
watch:
    choice {
        when (supply_cut) {
            trip = SUPPLY;
            goto tripped;
        }
        when (!supply_cut && bonnet_open) {
            trip = BONNET;
            goto tripped;
        }
        when (!supply_cut && !bonnet_open && boot_open) {
            trip = BOOT;
            goto tripped;
        }
        when (!supply_cut && !bonnet_open && !boot_open && moved) {
            trip = MOVEMENT;
            goto tripped;
        }
        when (!supply_cut && !bonnet_open && !boot_open && !moved && towed) {
            trip = LIFTED;
            goto tripped;
        }
        when (!supply_cut && !bonnet_open && !boot_open && !moved && !towed && door_open) {
            trip = DOOR;
            goto entered;
        }
    }
entered:
    choice {
        when (supply_cut) {
            trip = SUPPLY;
            goto tripped;
        }
        when (!supply_cut && bonnet_open) {
            trip = BONNET;
            goto tripped;
        }
        when (!supply_cut && !bonnet_open && boot_open) {
            trip = BOOT;
            goto tripped;
        }
    }
tripped:
    choice {
        when (event == TICK && trip != SUPPLY && supply_cut) {
            trip = SUPPLY;
            goto tripped;
        }
    }
}

/* The siren: two tones a second apart, from a battery of its own. */
void siren(void)
{
power_up:
    atomic {
        tone_high = 0;
        tone_low = 0;
        goto quiet;
    }
quiet:
    choice {
        when (sound && charge > 0) {
            tone_high = 1;
            tone_low = 0;
            goto sounding;
        }
        when (sound && charge == 0) {
            goto flat;
        }
        when (!sound && event == TICK && charge < CHARGE) {
            charge = charge + 1;
            goto quiet;
        }
    }
sounding:
    choice {
        when (!sound) {
            tone_high = 0;
            tone_low = 0;
            goto quiet;
        }
        when (sound && event == TICK && charge == 0) {
            tone_high = 0;
            tone_low = 0;
            goto flat;
        }
        when (tone_high && sound && event == TICK && charge > 0) {
            tone_high = 0;
            tone_low = 1;
            charge = charge - 1;
            goto sounding;
        }
        when (tone_low && sound && event == TICK && charge > 0) {
            tone_low = 0;
            tone_high = 1;
            charge = charge - 1;
            goto sounding;
        }
    }
flat:
    choice {
        when (!sound) {
            goto quiet;
        }
    }
}

/* Rounds of lamps and siren, then lamps alone; in a panic one long round. */
void warning(void)
{
    unsigned char ticks = 0;
    unsigned char rounds = 0;
start:
    choice {
        when (armed) {
            sound = 1;
            lamps = 1;
            ticks = ROUND;
            rounds = ROUNDS;
            sync(siren);
            goto loud;
        }
        when (panic) {
            sound = 1;
            lamps = 1;
            ticks = PANIC_TIME;
            rounds = 0;
            sync(siren);
            goto loud;
        }
    }
loud:
    choice {
        when (event == TICK && ticks > 0) {
            lamps = 0;
            ticks = ticks - 1;
            goto loud_dark;
        }
        when (event == TICK && ticks == 0 && rounds > 0) {
            sound = 0;
            lamps = 0;
            ticks = PAUSE;
            goto pause;
        }
        when (event == TICK && ticks == 0 && rounds == 0) {
            sound = 0;
            lamps = 0;
            ticks = LIGHTS;
            goto flash;
        }
    }
loud_dark:
    choice {
        when (event == TICK && ticks > 0) {
            lamps = 1;
            ticks = ticks - 1;
            goto loud;
        }
        when (event == TICK && ticks == 0 && rounds > 0) {
            sound = 0;
            ticks = PAUSE;
            goto pause;
        }
        when (event == TICK && ticks == 0 && rounds == 0) {
            sound = 0;
            ticks = LIGHTS;
            goto flash;
        }
    }
pause:
    choice {
        when (event == TICK && ticks > 0) {
            ticks = ticks - 1;
            goto pause;
        }
        when (event == TICK && ticks == 0) {
            sound = 1;
            lamps = 1;
            ticks = ROUND;
            rounds = rounds - 1;
            goto loud;
        }
    }
flash:
    choice {
        when (event == TICK && ticks > 0 && lamps) {
            lamps = 0;
            ticks = ticks - 1;
            goto flash;
        }
        when (event == TICK && ticks > 0 && !lamps) {
            lamps = 1;
            ticks = ticks - 1;
            goto flash;
        }
        when (event == TICK && ticks == 0) {
            lamps = 0;
            finished = 1;
            goto over;
        }
    }
over:
    atomic {
        idle();
    }
}

/* The mode. */
void alarm(void)
{
    unsigned char wait = 0;
    unsigned char alarms = 0;
disarmed:
    choice {
        when (secured) {
            wait = EXIT_DELAY;
            goto leaving;
        }
        when (!secured && event == FOB_PANIC) {
            armed = 0;
            panic = 1;
            wait = PANIC_TIME;
            sync(warning);
            goto panicking;
        }
        when (!secured && event == INTERIOR_OFF) {
            interior_off = 1;
            goto disarmed;
        }
        when (!secured && event == TRANSPONDER && immobilised) {
            immobilised = 0;
            goto disarmed;
        }
    }
leaving:
    choice {
        when (!secured) {
            goto disarmed;
        }
        when (secured && event == TRANSPONDER) {
            goto authorised;
        }
        when (secured && event == INTERIOR_OFF) {
            interior_off = 1;
            goto leaving;
        }
        when (secured && event == TICK && wait > 0) {
            wait = wait - 1;
            goto leaving;
        }
        when (secured && event == TICK && wait == 0) {
            armed = 1;
            panic = 0;
            immobilised = 1;
            alarms = 0;
            sync(sensors);
            goto watching;
        }
    }
watching:
    choice {
        when (!secured) {
            sync_stop(sensors);
            goto disarming;
        }
        when (secured && event == TRANSPONDER) {
            sync_stop(sensors);
            goto authorising;
        }
        when (secured && event != TRANSPONDER && trip == DOOR) {
            wait = ENTRY_DELAY;
            goto entering;
        }
        when (secured && event != TRANSPONDER && (trip == BONNET || trip == BOOT || trip == SUPPLY)) {
            sync(warning);
            goto alarming;
        }
        when (secured && event != TRANSPONDER && (trip == MOVEMENT || trip == LIFTED)) {
            sync(warning);
            goto alarming;
        }
        when (secured && event == FOB_PANIC && trip == NO_TRIP) {
            sync(warning);
            goto alarming;
        }
    }
entering:
    choice {
        when (!secured) {
            sync_stop(sensors);
            goto disarming;
        }
        when (secured && event == TRANSPONDER) {
            sync_stop(sensors);
            goto authorising;
        }
        when (secured && event != TRANSPONDER && trip != DOOR) {
            sync(warning);
            goto alarming;
        }
        when (secured && event == TICK && trip == DOOR && wait > 0) {
            wait = wait - 1;
            goto entering;
        }
        when (secured && event == TICK && trip == DOOR && wait == 0) {
            sync(warning);
            goto alarming;
        }
    }
alarming:
    choice {
        when (!secured) {
            sync_stop(sensors);
            sync_stop(warning);
            goto disarming;
        }
        when (secured && event == TRANSPONDER) {
            sync_stop(sensors);
            sync_stop(warning);
            goto authorising;
        }
        when (secured && event != TRANSPONDER && finished && alarms < ALARMS) {
            alarms = alarms + 1;
            sync_stop(sensors);
            sync_stop(warning);
            goto rearming;
        }
        when (secured && event != TRANSPONDER && finished && alarms >= ALARMS) {
            sync_stop(sensors);
            sync_stop(warning);
            goto exhausting;
        }
    }
rearming:
    atomic {
        trip = NO_TRIP;
        lamps = 0;
        sound = 0;
        finished = 0;
        sync(sensors);
        goto watching;
    }
exhausting:
    atomic {
        trip = NO_TRIP;
        lamps = 0;
        sound = 0;
        finished = 0;
        goto exhausted;
    }
exhausted:
    choice {
        when (!secured) {
            goto disarming;
        }
        when (secured && event == TRANSPONDER) {
            goto authorising;
        }
    }
panicking:
    choice {
        when (event == FOB_PANIC || event == FOB_UNLOCK || event == KEY_UNLOCK || event == TRANSPONDER) {
            sync_stop(warning);
            goto disarming;
        }
        when (event == FOB_LOCK || event == KEY_LOCK) {
            sync_stop(warning);
            goto disarming;
        }
        when (event == TICK && wait > 0) {
            wait = wait - 1;
            goto panicking;
        }
        when (event == TICK && wait == 0) {
            sync_stop(warning);
            goto disarming;
        }
    }
disarming:
    atomic {
        armed = 0;
        panic = 0;
        interior_off = 0;
        trip = NO_TRIP;
        lamps = 0;
        sound = 0;
        finished = 0;
        goto disarmed;
    }
authorising:
    atomic {
        armed = 0;
        panic = 0;
        immobilised = 0;
        interior_off = 0;
        trip = NO_TRIP;
        lamps = 0;
        sound = 0;
        finished = 0;
        goto authorised;
    }
authorised:
    choice {
        when (!secured) {
            goto disarmed;
        }
        when (secured && event == FOB_LOCK) {
            wait = EXIT_DELAY;
            goto leaving;
        }
    }
}

void environment(void)
{
    frame = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(frame <= TICK);
    code_ok = __VERIFIER_nondet_bool();
    door_open = __VERIFIER_nondet_bool();
    bonnet_open = __VERIFIER_nondet_bool();
    boot_open = __VERIFIER_nondet_bool();
    supply_cut = __VERIFIER_nondet_bool();
    echo = __VERIFIER_nondet_bool();
    slope = __VERIFIER_nondet_uchar();
}

int main(void)
{
    sync(gateway);
    sync(locking);
    sync(alarm);
    sync_environment(environment);
    sync_time(asynchronous);
}
