! coxapp in Fortran: the same kernels, options (without counts in --kernels), output and checksums as the C program.
module options
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: kernel_count = 4, max_sizes = 16, min_calls = 10
  integer(int64), parameter :: max_bytes = 67108864
  character(len=*), parameter :: kernels(kernel_count) = ['transpose', 'cg       ', 'halo     ', 'table    ']
  character(len=*), parameter :: collectives(kernel_count) = &
    ['alltoall ', 'allreduce', 'allgather', 'bcast    ']
  logical :: wanted(kernel_count) = .true., together = .false.
  integer(int64) :: bytes(max_sizes) = 0, calls = 50, volume = max_bytes
  integer :: sizes = 2
  character(len=1024) :: times = '', wrong_argument = ''

contains

  function argument(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    integer :: length
    length = 0
    if (number <= command_argument_count()) call get_command_argument(number, length=length)
    allocate (character(len=length) :: text)
    if (length > 0) call get_command_argument(number, text)
  end function argument

  logical function read_number(text, low, high, value)
    character(len=*), intent(in) :: text
    integer(int64), intent(in) :: low, high
    integer(int64), intent(out) :: value
    integer :: problem
    value = 0
    read_number = len(text) > 0 .and. verify(text, '0123456789') == 0
    if (.not. read_number) return
    read (text, *, iostat=problem) value
    read_number = problem == 0 .and. value >= low .and. value <= high
  end function read_number

  ! Cuts the part before the first comma off `text`; false if nothing is left.
  logical function next_part(text, part)
    character(len=:), allocatable, intent(inout) :: text
    character(len=:), allocatable, intent(out) :: part
    integer :: comma
    next_part = len(text) > 0
    if (.not. next_part) return
    comma = index(text, ',')
    if (comma == 0) comma = len(text) + 1
    part = text(:comma - 1)
    text = text(comma + 1:)
  end function next_part

  logical function read_sizes(list)
    character(len=*), intent(in) :: list
    character(len=:), allocatable :: text, part
    text = list
    sizes = 0
    read_sizes = len(list) > 0 .and. index(list, ',', back=.true.) /= len(list)
    do while (next_part(text, part))
      read_sizes = read_sizes .and. sizes < max_sizes
      if (.not. read_sizes) return
      sizes = sizes + 1
      read_sizes = read_number(part, 8_int64, max_bytes, bytes(sizes))
    end do
  end function read_sizes

  logical function read_kernels(list)
    character(len=*), intent(in) :: list
    character(len=:), allocatable :: text, part
    text = list
    wanted = .false.
    read_kernels = len(list) > 0 .and. index(list, ',', back=.true.) /= len(list)
    do while (next_part(text, part))
      read_kernels = read_kernels .and. any(kernels == part) .and. len(part) > 0
      wanted = wanted .or. kernels == part
    end do
  end function read_kernels

  ! Stores the name of the wrong argument in `wrong_argument`. True: --help was given.
  logical function read_arguments()
    character(len=:), allocatable :: name, value
    logical :: good
    integer :: i
    bytes(:2) = [1024, 65536]
    read_arguments = .false.
    do i = 1, command_argument_count()
      name = argument(i)
      read_arguments = read_arguments .or. name == '--help'
    end do
    i = 1
    do while (i <= command_argument_count() .and. wrong_argument == '')
      name = argument(i)
      value = argument(i + 1)
      i = i + 2
      select case (name)
      case ('--barrier')
        together = .true.
        good = .true.
        i = i - 1
      case ('--kernels')
        good = read_kernels(value)
      case ('--bytes')
        good = read_sizes(value)
      case ('--calls')
        good = read_number(value, 1_int64, 1000000_int64, calls)
      case ('--volume')
        good = read_number(value, 1_int64, huge(volume), volume)
      case ('--times')
        good = len(value) > 0 .and. len(value) <= len(times)
        times = value
      case default
        good = .false.
      end select
      if (.not. good) wrong_argument = name
    end do
  end function read_arguments

end module options

program coxapp
  use, intrinsic :: iso_fortran_env, only: int64, error_unit
  use cox_mpi
  use job
  use options
  use modular
  use transpose_kernel
  use cg_kernel
  use halo_kernel
  use table_kernel
  implicit none
  logical :: help
  integer :: ierror, unit, problem, status

  help = read_arguments()
  if (help) then
    call print_help()
    stop
  end if
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  barrier = together
  if (wrong_argument /= '') then
    if (rank == 0) write (error_unit, '(3a)') 'coxapp: wrong argument ', trim(wrong_argument), ' (see --help)'
    call MPI_Finalize(ierror)
    stop 2, quiet=.true.
  end if
  unit = error_unit
  problem = 0
  if (rank == 0 .and. times /= '') then
    open (newunit=unit, file=trim(times), status='replace', action='write', iostat=problem)
    if (problem == 0) then
      write (unit, '(a)') 'kernel,collective,block_bytes,calls,elapsed_s'
    else
      write (error_unit, '(3a)') 'coxapp: ', trim(times), ': cannot be written'
    end if
  end if
  ! All ranks end together, because a launcher may lose the last output of an aborted job.
  call PMPI_Bcast(problem, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror) ! no call of the program
  if (problem /= 0) then
    call MPI_Finalize(ierror)
    stop 2, quiet=.true.
  end if
  status = merge(1, 0, run_kernels() > 0)
  call MPI_Finalize(ierror)
  if (status /= 0) stop 1, quiet=.true.

contains

  ! Runs all kernels and prints. Returns the number of wrong results, on every rank.
  integer function run_kernels()
    type(outcome) :: done(kernel_count * max_sizes)
    integer :: kernel_of(kernel_count * max_sizes)
    integer(int64) :: sums(2, kernel_count * max_sizes)
    integer(int64) :: checksum, number
    integer :: kernel, s, count, i
    real(kind(1d0)) :: start
    count = 0
    sums = 0
    do kernel = 1, kernel_count
      if (.not. wanted(kernel)) cycle
      do s = 1, sizes
        start = MPI_Wtime()
        count = count + 1
        number = min(calls, max(int(min_calls, int64), volume / bytes(s)))
        select case (kernel)
        case (1)
          done(count) = run_transpose(bytes(s), number)
        case (2)
          done(count) = run_cg(bytes(s), number)
        case (3)
          done(count) = run_halo(bytes(s), number)
        case (4)
          done(count) = run_table(bytes(s), number)
        end select
        kernel_of(count) = kernel
        sums(:, count) = [done(count)%checksum, merge(0_int64, 1_int64, done(count)%right)]
        if (rank == 0) call print_time(kernel, done(count), MPI_Wtime() - start)
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, sums, 2 * count, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
    run_kernels = 0
    checksum = 0
    do i = 1, count
      number = mod(sums(1, i), prime)
      checksum = mod(mod(checksum * 31, prime) + number, prime)
      if (sums(2, i) > 0) run_kernels = run_kernels + 1
      if (rank == 0) print '(a,1x,i0,a,i0,a)', trim(kernels(kernel_of(i))), done(i)%block_bytes, &
        ': checksum ', number, trim(merge(' WRONG', '      ', sums(2, i) > 0))
    end do
    if (rank == 0) print '(a,i0)', 'checksum ', checksum
  end function run_kernels

  subroutine print_time(kernel, done, elapsed_s)
    integer, intent(in) :: kernel
    type(outcome), intent(in) :: done
    real(kind(1d0)), intent(in) :: elapsed_s
    character(len=32) :: seconds
    write (seconds, '(f32.6)') elapsed_s
    if (times == '') then
      write (unit, '(a9,1x,a9,1x,i8,a,i6,a,a10,a)') kernels(kernel), collectives(kernel), &
        done%block_bytes, ' bytes ', done%calls, ' calls ', adjustr(seconds(23:)), ' s'
    else
      write (unit, '(4a,i0,a,i0,2a)') trim(kernels(kernel)), ',', trim(collectives(kernel)), ',', &
        done%block_bytes, ',', done%calls, ',', trim(adjustl(seconds))
    end if
  end subroutine print_time

  subroutine print_help()
    print '(a)', &
      'usage: coxapp [--kernels K,...] [--bytes B,...] [--calls N] [--volume V] [--barrier]', &
      '              [--times FILE]', '', &
      'The Fortran version of the C program of that name, whose --help describes the options.'
  end subroutine print_help

end program coxapp
