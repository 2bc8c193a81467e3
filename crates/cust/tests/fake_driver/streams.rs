//! Streams, events and host functions.

use cust::error::CudaError;
use cust::event::EventStatus;
use cust::prelude::*;
use cust::stream::StreamWaitEventFlags;

use crate::context;
use crate::fake;

#[test]
fn events_and_callbacks() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let other = Stream::new(StreamFlags::DEFAULT, Some(-1)).unwrap();
    let (start, end) = (
        Event::new(EventFlags::DEFAULT).unwrap(),
        Event::new(EventFlags::BLOCKING_SYNC).unwrap(),
    );
    assert_eq!(end.elapsed(&start), Err(CudaError::InvalidHandle));
    start.record(&stream).unwrap();
    end.record(&stream).unwrap();
    assert_eq!(end.elapsed(&start).unwrap().as_micros(), 1500);
    fake.set_pending(true);
    assert_eq!(
        (end.query(), stream.query()),
        (Ok(EventStatus::NotReady), Ok(false))
    );
    fake.set_pending(false);
    assert_eq!(
        (end.query(), stream.query()),
        (Ok(EventStatus::Ready), Ok(true))
    );
    other
        .wait_event(&end, StreamWaitEventFlags::DEFAULT)
        .unwrap();
    other
        .wait_event(start, StreamWaitEventFlags::DEFAULT)
        .unwrap();

    let (sender, receiver) = std::sync::mpsc::channel();
    stream
        .add_callback(Box::new(move || sender.send(42).unwrap()))
        .unwrap();
    assert_eq!(receiver.recv(), Ok(42));
    stream
        .add_callback(Box::new(|| panic!("caught before it reaches the driver")))
        .unwrap();
}
