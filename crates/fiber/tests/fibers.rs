//! Fibers from outside: running through, waiting on a runtime, yielding, cancelling, reuse of stacks.

use fiber::{Cancelled, Fiber, Parked, Pool, Step, is_inside, wait, yield_now};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

fn pool() -> Pool {
    Pool::new(fiber::DEFAULT_STACK_BYTES, 8)
}

/// A future that runs a fiber on whatever runtime polls it.
async fn drive<R: 'static>(mut fiber: Fiber<R>) -> R {
    poll_fn(|context| {
        loop {
            match fiber.resume(Some(context.waker())) {
                Step::Done(result) => return Poll::Ready(result),
                Step::Parked(Parked::Waiting) => return Poll::Pending,
                Step::Parked(Parked::Yielded | Parked::NeedsWaker) => {}
            }
        }
    })
    .await
}

#[test]
fn what_never_waits_runs_through() {
    let mut pool = pool();
    assert!(!is_inside());
    let mut fiber = Fiber::new(&mut pool, || if is_inside() { 7 } else { 0 }).expect("there is memory");
    assert!(matches!(fiber.resume(None), Step::Done(7)));
    assert!(!is_inside());
    fiber.recycle(&mut pool);
    assert_eq!((pool.lent(), pool.free()), (0, 1));
}

#[test]
fn waiting_without_a_waker_asks_for_one() {
    let mut pool = pool();
    let mut fiber = Fiber::new(&mut pool, || wait(async { 5 })).expect("there is memory");
    assert!(matches!(fiber.resume(None), Step::Parked(Parked::NeedsWaker)));
    assert!(matches!(fiber.resume(Some(Waker::noop())), Step::Done(Ok(5))));
}

#[test]
fn many_fibers_wait_at_the_same_time() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime can be made");
    let local = tokio::task::LocalSet::new();
    let order = Rc::new(RefCell::new(Vec::new()));
    let mut pool = pool();
    local.block_on(&runtime, async {
        let tasks: Vec<_> = [30_u64, 10, 20]
            .into_iter()
            .map(|pause| {
                let order = order.clone();
                let body = move || {
                    let waited = wait(tokio::time::sleep(Duration::from_millis(pause)));
                    order.borrow_mut().push(pause);
                    waited
                };
                let fiber = Fiber::new(&mut pool, body).expect("there is memory");
                tokio::task::spawn_local(drive(fiber))
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.expect("the task ends"), Ok(()));
        }
    });
    assert_eq!(*order.borrow(), [10, 20, 30]);
}

#[test]
fn yielding_lets_others_run() {
    let mut pool = pool();
    let mut fiber = Fiber::new(&mut pool, || (0..3).map(|_| yield_now()).collect::<Vec<_>>()).expect("there is memory");
    for _ in 0..3 {
        assert!(matches!(fiber.resume(None), Step::Parked(Parked::Yielded)));
    }
    assert!(matches!(fiber.resume(None), Step::Done(rounds) if rounds == [Ok(()); 3]));
}

#[test]
fn a_cancelled_fiber_ends_and_lets_go() {
    let mut pool = pool();
    let released = Rc::new(Cell::new(false));
    let seen = released.clone();
    struct Guard(Rc<Cell<bool>>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }
    let body = move || {
        let _guard = Guard(seen);
        wait(std::future::pending::<()>())
    };
    let mut fiber = Fiber::new(&mut pool, body).expect("there is memory");
    assert!(matches!(fiber.resume(Some(Waker::noop())), Step::Parked(Parked::Waiting)));
    assert!(matches!(fiber.cancel(), Step::Done(Err(Cancelled))));
    assert!(released.get());
}

#[test]
fn a_dropped_fiber_is_cancelled_and_its_stack_comes_back() {
    let mut pool = pool();
    let ended = Rc::new(Cell::new(false));
    let seen = ended.clone();
    let body = move || {
        let result = wait(std::future::pending::<()>());
        seen.set(result.is_err());
    };
    let mut fiber = Fiber::new(&mut pool, body).expect("there is memory");
    assert!(matches!(fiber.resume(Some(Waker::noop())), Step::Parked(Parked::Waiting)));
    fiber.recycle(&mut pool);
    assert!(ended.get());
    assert_eq!((pool.lent(), pool.free()), (0, 1));
    drop(Fiber::new(&mut pool, || ()).expect("there is memory"));
}

#[test]
fn a_stack_of_which_much_was_used_is_not_kept() {
    fn use_up(bytes: usize) -> u8 {
        let frame = std::hint::black_box([1_u8; 1024]);
        if bytes > 1024 { use_up(bytes - 1024).wrapping_add(frame[7]) } else { frame[9] }
    }
    let mut pool = pool();
    for (bytes, kept) in [(8 * 1024, 1), (600 * 1024, 0), (8 * 1024, 1)] {
        let mut fiber = Fiber::new(&mut pool, move || use_up(bytes)).expect("there is memory");
        assert!(matches!(fiber.resume(None), Step::Done(_)));
        fiber.recycle(&mut pool);
        assert_eq!(pool.free(), kept, "after {bytes} bytes");
    }
}

#[test]
fn a_fiber_can_run_another() {
    let mut pool = pool();
    let body = || {
        let mut pool = Pool::new(fiber::DEFAULT_STACK_BYTES, 1);
        let mut inner = Fiber::new(&mut pool, || yield_now().map(|()| 1)).expect("there is memory");
        let parked = matches!(inner.resume(None), Step::Parked(Parked::Yielded));
        let still_inside = is_inside();
        yield_now().expect("not cancelled");
        let done = matches!(inner.resume(None), Step::Done(Ok(1)));
        parked && still_inside && done
    };
    let mut outer = Fiber::new(&mut pool, body).expect("there is memory");
    assert!(matches!(outer.resume(None), Step::Parked(Parked::Yielded)));
    assert!(matches!(outer.resume(None), Step::Done(true)));
}
